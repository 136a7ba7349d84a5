package hazards;

import hazards.plain.Catcher;
import java.util.function.IntConsumer;
import org.lucce.Lucce;

/** What a debugger calls methods in, drops frames of, and stops within hooks, until it sets a field. */
public class Debugged {
    /** Set by the debugger. */
    static volatile boolean released;

    /** The debugger throws it. */
    static final Error STRUCK = new Error("struck");

    /** {@link #left} throws it. */
    private static final Error THROWN = new Error("thrown");

    private static volatile int sum;
    private static final IntConsumer ADDED = n -> sum += n;

    public static void main(String[] arguments) {
        for (int n = 0; n < 40_000 && !released; n++) {
            called(n % 5);
            dropped(4);
            struck(4);
            Catcher.calls(n);
            told(n);
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                // Who is stopped is interrupted, too.
            }
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

    /** The error strikes below, in a hook that has pushed; whoever catches it goes on. */
    private static int struck(int n) {
        try {
            return n == 0 ? depth(3) : struck(n - 1);
        } catch (Error e) {
            return told(depth(2));
        }
    }

    /** The error strikes while it leaves, with what it throws or without: this activation is gone then, and the code without hooks goes on. */
    public static int left(int n) {
        int told = Catcher.tells(n);
        if (n % 2 == 1) throw THROWN;
        return told;
    }

    public static int told(int n) {
        ADDED.accept(n);
        Lucce.event("told", n);
        return n;
    }
}
