package org.lucce.agent;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The program {@code java -jar lucce-agent.jar}: it prints where the library is, or runs the
 * decoder.
 *
 * <p>Invariant: what the decoder reads, prints and ends with is its own. What was unpacked for it
 * goes when it ends.
 */
public final class Main {
    private static final int WRONG = 2;

    private static final String[] USAGE = {
        "usage: java -jar lucce-agent.jar path              print where the agent's library is, for -agentpath",
        "       java -jar lucce-agent.jar COMMAND ...       run a command of lucce-decode: attach, report, top, export, ...",
        "       java -jar lucce-agent.jar --help            list these commands",
        "       java -javaagent:lucce-agent.jar=OPTIONS     record without hooks, as if attached",
    };

    private Main() {}

    /**
     * Runs it.
     *
     * @param arguments the command line
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) {
        try {
            if (arguments.length == 0) {
                List.of(USAGE).forEach(System.err::println);
                return WRONG;
            }
            if (arguments[0].equals("path") && arguments.length == 1) {
                System.out.println(Kept.library());
                return 0;
            }
            return decode(arguments);
        } catch (IOException | RuntimeException error) {
            say(error, "nothing was done");
            return WRONG;
        } catch (InterruptedException stopped) {
            return WRONG;
        }
    }

    /** Runs the decoder, beside the libraries that it attaches. */
    private static int decode(String[] arguments) throws IOException, InterruptedException {
        try (Unpacked unpacked = Unpacked.of(Bundle.decoder())) {
            List<String> command = new ArrayList<>(List.of(unpacked.file(Bundle.DECODER).toString()));
            command.addAll(List.of(arguments));
            Process decoder = new ProcessBuilder(command).inheritIO().start();
            Thread end = new Thread(() -> end(decoder, unpacked));
            Runtime.getRuntime().addShutdownHook(end);
            return decoder.waitFor();
        }
    }

    /** A signal ends this JVM: so does the decoder, and what was unpacked goes. */
    private static void end(Process decoder, Unpacked unpacked) {
        try {
            // A terminal's interrupt has reached it, too: it may end by itself.
            if (!decoder.waitFor(1, TimeUnit.SECONDS)) {
                decoder.destroy();
            }
            decoder.waitFor();
            unpacked.close();
        } catch (IOException | InterruptedException left) {
            say(left, "files are left");
        }
    }

    /** One line. */
    static void say(Throwable error, String outcome) {
        String text = error.getMessage() == null ? error.toString() : error.getMessage();
        if (!(error instanceof IOException) || error instanceof FileSystemException) {
            text = error.getClass().getSimpleName() + ": " + text;
        }
        System.err.println("lucce: " + text.replaceAll("\\s+", " ") + "; " + outcome);
    }
}
