package hazards;

import java.util.function.IntConsumer;
import org.lucce.Lucce;

/** What a debugger calls methods in, and drops frames of, until it sets a field. */
public class Debugged {
    /** Set by the debugger. */
    static volatile boolean released;

    private static volatile int sum;
    private static final IntConsumer ADDED = n -> sum += n;

    public static void main(String[] arguments) throws Exception {
        for (int n = 0; n < 4000 && !released; n++) {
            called(n % 5);
            dropped(4);
            told(n);
            Thread.sleep(5);
        }
        System.out.println(released ? "released" : "nobody came");
    }

    /** The debugger stops in the second line, and has {@code depth} called. What was published last is a place that calls it, too. */
    private static void called(int n) {
        int depth = depth(n);
        int twice = 2 * depth;
        told(twice);
    }

    static int depth(int n) {
        return n == 0 ? told(0) : 1 + depth(n - 1);
    }

    /** The debugger stops in the second line, and drops this frame. */
    private static int dropped(int n) {
        int below = n == 0 ? 1 : dropped(n - 1);
        int twice = 2 * below;
        return told(twice);
    }

    private static int told(int n) {
        ADDED.accept(n);
        Lucce.event("told", n);
        return n;
    }
}
