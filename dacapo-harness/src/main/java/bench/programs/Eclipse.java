package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/** eclipse: its compiler, ecj, on the sources of commons-lang3, with every warning. */
public final class Eclipse implements Program {
    private List<String> command;
    private Path classes;
    private StringWriter messages;

    @Override
    public void prepare(Place place) throws IOException {
        Path sources = place.unpack(place.sources("commons-lang3-sources"), "eclipse");
        classes = place.folder("eclipse-classes");
        command = new ArrayList<>(List.of("-11", "-g", "-warn:all", "-proc:none", "-cp", sources.toString(), "-d", classes.toString()));
        for (Path file : files(sources, ".java")) {
            command.add(file.toString());
        }
    }

    @Override
    public void before() throws IOException {
        for (Path file : files(classes, ".class")) {
            Files.delete(file);
        }
    }

    @Override
    public void iterate() {
        messages = new StringWriter();
        PrintWriter writer = new PrintWriter(messages);
        if (!BatchCompiler.compile(command.toArray(new String[0]), writer, writer, null)) {
            throw new IllegalStateException(messages.toString().lines().filter(line -> line.contains("ERROR")).findFirst().orElse("not compiled"));
        }
    }

    @Override
    public long validate() throws IOException {
        Digest digest = new Digest().add(messages.toString().lines().filter(line -> line.contains("WARNING")).count());
        List<Path> written = files(classes, ".class");
        if (written.size() < 300) throw new IllegalStateException("only " + written.size() + " classes");
        for (Path file : written) {
            byte[] bytes = Files.readAllBytes(file);
            digest.write(bytes, 0, bytes.length);
        }
        return digest.value();
    }

    private static List<Path> files(Path folder, String extension) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(f -> f.toString().endsWith(extension)).sorted(Comparator.naturalOrder()).collect(Collectors.toList());
        }
    }
}
