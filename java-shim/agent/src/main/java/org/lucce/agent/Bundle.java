package org.lucce.agent;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the jar holds for this machine.
 *
 * <p>Invariant: a file is only given out for the system and architecture that it was built for. The
 * agent is built for each C library, and a JVM takes the one for its own.
 */
final class Bundle {
    private static final String AGENT = "liblucce.so";
    private static final String AGENT_OF_MUSL = "liblucce-musl.so";
    static final String DECODER = "lucce-decode";

    private static final int HEADERS = 4096;

    /** What Java calls an architecture, and what its folder in the jar is called. */
    private static final Map<String, String> FOLDERS = Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "aarch64");

    private Bundle() {}

    /** The agent for this JVM; GNU's, where the system hides the JVM's own program from it. */
    static String agent() {
        // A program names its loader among its first bytes. musl's has this name everywhere.
        try (InputStream program = Files.newInputStream(Path.of("/proc/self/exe"))) {
            String first = new String(program.readNBytes(HEADERS), StandardCharsets.ISO_8859_1);
            return first.contains("/ld-musl-") ? AGENT_OF_MUSL : AGENT;
        } catch (IOException hidden) {
            return AGENT;
        }
    }

    /** The decoder, and the agents that it can bring into JVMs of this machine. */
    static List<String> decoder() throws IOException {
        String folder = folder();
        List<String> names = new ArrayList<>(List.of(DECODER));
        for (String agent : List.of(AGENT, AGENT_OF_MUSL)) {
            // A jar need not be built for each C library.
            if (Bundle.class.getResource(folder + "/" + agent) != null) {
                names.add(agent);
            }
        }
        return names;
    }

    /** The bytes of a file, from its beginning. */
    static InputStream open(String name) throws IOException {
        String path = folder() + "/" + name;
        InputStream bytes = Bundle.class.getResourceAsStream(path);
        if (bytes == null) {
            throw new FileNotFoundException("this jar was built without " + path);
        }
        return bytes;
    }

    /** The folder of this machine. */
    private static String folder() throws IOException {
        String system = System.getProperty("os.name");
        String architecture = System.getProperty("os.arch");
        String folder = FOLDERS.get(architecture);
        if (!"Linux".equals(system) || folder == null) {
            throw new IOException("this is " + system + " on " + architecture + ", and Lucce is for Linux on x86-64 and aarch64");
        }
        return folder;
    }
}
