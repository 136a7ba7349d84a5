package org.lucce.tools;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * What the jar lucce-agent holds for this machine, as files in a folder of the build.
 *
 * <p>Invariant: a file that is there has the bytes of the jar. It is never written in place, since
 * a JVM may have mapped it: another file takes its name.
 */
public final class AgentJar {
    /** Why builds on other machines run without Lucce. */
    public static final String ELSEWHERE = "Lucce is for Linux on x86-64 and aarch64";

    private static final String LIBRARY = "liblucce.so";
    private static final String LIBRARY_OF_MUSL = "liblucce-musl.so";
    private static final int HEADERS = 4096;
    private static final String DECODER = "lucce-decode";

    /** What Java calls an architecture, and what its folder in the jar is called. */
    private static final Map<String, String> FOLDERS = Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "aarch64");

    private final File jar;
    private final Path folder;

    /**
     * A jar, and where its files go.
     *
     * @param jar the jar lucce-agent
     * @param folder need not be there
     */
    public AgentJar(File jar, File folder) {
        this.jar = jar;
        this.folder = folder.toPath();
    }

    /** Is Lucce for this machine? Otherwise builds run without it. */
    public static boolean isForThisMachine() {
        return "Linux".equals(System.getProperty("os.name")) && FOLDERS.containsKey(System.getProperty("os.arch"));
    }

    /** The agent's library for JVMs like this one, unpacked. */
    public Path library() throws IOException {
        return unpacked(isOnMusl() ? LIBRARY_OF_MUSL : LIBRARY);
    }

    /** Not, where the system hides the JVM's own program from it. */
    private static boolean isOnMusl() {
        // A program names its loader among its first bytes. musl's has this name everywhere.
        try (InputStream program = Files.newInputStream(Path.of("/proc/self/exe"))) {
            String first = new String(program.readNBytes(HEADERS), StandardCharsets.ISO_8859_1);
            return first.contains("/ld-musl-");
        } catch (IOException hidden) {
            return false;
        }
    }

    /** The decoder's program, unpacked. */
    public Path decoder() throws IOException {
        return unpacked(DECODER);
    }

    private Path unpacked(String name) throws IOException {
        String inside = "org/lucce/agent/" + FOLDERS.get(System.getProperty("os.arch")) + "/" + name;
        try (ZipFile zip = new ZipFile(jar)) {
            ZipEntry entry = zip.getEntry(inside);
            if (entry == null) {
                throw new FileNotFoundException(jar + " was built without " + inside);
            }
            Path file = folder.resolve(name);
            if (!Files.isRegularFile(file) || checksum(Files.newInputStream(file)) != entry.getCrc()) {
                write(zip.getInputStream(entry), file);
            }
            return file;
        }
    }

    private void write(InputStream bytes, Path file) throws IOException {
        Files.createDirectories(folder);
        Path part = Files.createTempFile(folder, "part", null);
        try (InputStream from = bytes) {
            Files.copy(from, part, StandardCopyOption.REPLACE_EXISTING);
            if (!part.toFile().setExecutable(true, false) || !part.toFile().setReadable(true, false)) {
                throw new IOException("cannot make " + part + " executable");
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static long checksum(InputStream bytes) throws IOException {
        try (CheckedInputStream from = new CheckedInputStream(bytes, new CRC32())) {
            from.transferTo(OutputStream.nullOutputStream());
            return from.getChecksum().getValue();
        }
    }
}
