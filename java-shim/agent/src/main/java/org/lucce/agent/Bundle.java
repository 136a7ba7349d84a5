package org.lucce.agent;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * What the jar holds for this machine.
 *
 * <p>Invariant: a file is only given out for the system and architecture that it was built for.
 */
final class Bundle {
    static final String AGENT = "liblucce.so";
    static final String DECODER = "lucce-decode";

    /** What Java calls an architecture, and what its folder in the jar is called. */
    private static final Map<String, String> FOLDERS = Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "aarch64");

    private Bundle() {}

    /** The bytes of a file, from its beginning. */
    static InputStream open(String name) throws IOException {
        String system = System.getProperty("os.name");
        String architecture = System.getProperty("os.arch");
        String folder = FOLDERS.get(architecture);
        if (!"Linux".equals(system) || folder == null) {
            throw new IOException("this is " + system + " on " + architecture + ", and Lucce is for Linux on x86-64 and aarch64");
        }
        InputStream bytes = Bundle.class.getResourceAsStream(folder + "/" + name);
        if (bytes == null) {
            throw new FileNotFoundException("this jar was built without " + folder + "/" + name);
        }
        return bytes;
    }
}
