package org.lucce.agent;

import java.io.IOException;
import java.util.List;

/**
 * The Java agent: {@code -javaagent:lucce-agent.jar=OPTIONS} does what {@code lucce-decode attach}
 * does, before {@code main} begins.
 *
 * <p>Invariant: the program runs whatever happens here. What cannot be done is one line on standard
 * error.
 */
public final class JavaAgent {
    private static boolean loaded;

    private JavaAgent() {}

    /**
     * Called by the JVM.
     *
     * @param options the agent's, or null
     */
    public static synchronized void premain(String options) {
        try {
            load();
            // Where it does not begin, the library has said why.
            begin(options == null ? "" : options);
        } catch (IOException | RuntimeException | LinkageError error) {
            Main.say(error, "nothing is recorded");
        }
    }

    /** Loads the library, whose file goes at once: what is mapped needs no name. */
    private static void load() throws IOException {
        if (!loaded) {
            String agent = Bundle.agent();
            try (Unpacked unpacked = Unpacked.of(List.of(agent))) {
                System.load(unpacked.file(agent).toString());
            }
            loaded = true;
        }
    }

    /** In the library. */
    private static native int begin(String options);
}
