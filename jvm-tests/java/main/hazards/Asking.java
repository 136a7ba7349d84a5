package hazards;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.lucce.Lucce;

/**
 * Asks for contexts until a file is there, whether an agent is there or not: the API is used before the first one comes. A number must stand for the
 * same stack as long as the program runs, whichever agents come and leave. Arguments: the file that ends it, the file that gets the stacks at which
 * it has logged events, one a line, and "virtual" for a virtual thread (21 and later).
 */
public final class Asking {
    /** The stack of each number that was given. */
    private static final Map<Long, String> KNOWN = new HashMap<>();
    /** Where events were logged. */
    private static final Set<String> STACKS = new HashSet<>();
    private static final int PATHS = 1024;
    private static int heard;
    private static boolean differs;

    private Asking() {}

    static void turn(int left, int path) {
        if (left == 0) {
            ask(path);
        } else if ((path & 3) == 0) {
            turn(left - 1, path >> 2);
        } else if ((path & 3) == 1) {
            Arrays.asList(left - 1).forEach(less -> turn(less, path >> 2));
        } else if ((path & 3) == 2) {
            Runnable run = () -> turn(left - 1, path >> 2);
            run.run();
        } else {
            turn(left - 1, path >> 2);
        }
    }

    static void ask(int value) {
        long context = Lucce.capture(); String real = Attached.read(new Throwable());
        if (context != 0) {
            KNOWN.putIfAbsent(context, real);
            same(real, KNOWN.get(context));
            told(context);
            Lucce.event("asked", value, context); STACKS.add(real);
        }
        Lucce.event("here", value); STACKS.add(Attached.read(new Throwable()));
    }

    /** The agent that has given the number may have left: then there are no frames. */
    static void told(long context) {
        StackTraceElement[] trace = Lucce.trace(context);
        if (trace.length > 0) {
            same(KNOWN.get(context), Attached.read(trace));
        }
    }

    /** Says the first difference alone: nobody reads while the program runs. */
    private static void same(String stack, String told) {
        if (!differs && !stack.equals(told)) {
            differs = true;
            Check.equal(stack, told);
        }
    }

    public static void main(String[] args) throws Exception {
        Path end = Path.of(args[0]);
        Attached.virtual = args.length > 2 && args[2].equals("virtual");
        // Nobody is there yet.
        Check.equal(0L, Lucce.capture());
        Lucce.addListener("here", (kind, value, captured) -> heard++);
        System.out.println("started");
        System.out.flush();
        Thread asking = Attached.start("asking", () -> {
            // Each run begins at another path.
            for (int path = 0; !Files.exists(end); path = (path + 7) % PATHS) {
                turn(5, path);
                if (path < 7) {
                    KNOWN.keySet().forEach(Asking::told);
                }
            }
        });
        asking.join();
        try (PrintWriter out = new PrintWriter(args[1], "UTF-8")) {
            STACKS.forEach(out::println);
        }
        Check.equal(true, heard > 0 && !KNOWN.isEmpty());
        System.out.println("ended");
        Check.done("Asking");
    }
}
