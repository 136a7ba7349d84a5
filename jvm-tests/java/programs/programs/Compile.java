package programs;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/** ecj compiles the sources of a folder, with warnings on, and prints how many classes and problems came of it. */
public final class Compile {
    private Compile() {}

    public static void main(String[] args) throws Exception {
        Path sources = Path.of(args[0]);
        Path out = Path.of(args[1]);
        List<String> command = new ArrayList<>(List.of("-11", "-g", "-warn:all", "-proc:none", "-proceedOnError", "-cp", args[2], "-d", out.toString()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(f -> f.toString().endsWith(".java")).map(Path::toString).sorted().forEach(command::add);
        }
        ByteArrayOutputStream problems = new ByteArrayOutputStream();
        PrintWriter writer = new PrintWriter(problems);
        boolean success = BatchCompiler.compile(command.toArray(new String[0]), writer, writer, null);
        writer.flush();
        try (Stream<Path> files = Files.walk(out)) {
            List<String> classes = files.filter(f -> f.toString().endsWith(".class")).map(f -> f.getFileName().toString()).sorted().collect(Collectors.toList());
            System.out.println(success + " " + classes.size() + " " + classes.hashCode());
        }
        long warnings = problems.toString().lines().filter(l -> l.contains("WARNING")).count();
        long errors = problems.toString().lines().filter(l -> l.contains("ERROR")).peek(System.out::println).count();
        System.out.println(warnings + " warnings, " + errors + " errors");
    }
}
