package bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The folders of a run: one of its own to write in, and the one with the jars. */
public final class Place {
    private final Path scratch;
    private final Path jars;

    Place(Path scratch, Path jars) {
        this.scratch = scratch;
        this.jars = jars;
    }

    /** A folder below the run's own; made if it is not there. */
    public Path folder(String name) throws IOException {
        return Files.createDirectories(scratch.resolve(name));
    }

    /** The Java sources in a jar of the table, by path. */
    public Map<String, String> sources(String jar) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (ZipFile zip = new ZipFile(jars.resolve(jar + ".jar").toFile())) {
            for (ZipEntry entry : (Iterable<ZipEntry>) zip.stream().map(ZipEntry.class::cast)::iterator) {
                if (entry.getName().endsWith(".java")) {
                    sources.put(entry.getName(), new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        }
        return sources;
    }

    /** Writes the sources below a folder, which is returned. */
    public Path unpack(Map<String, String> sources, String folder) throws IOException {
        Path root = folder(folder);
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = root.resolve(source.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
        }
        return root;
    }
}
