package hazards;

import hazards.plain.Stacks;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import org.lucce.Lucce;

/**
 * The independent check: {@link StackWalker} against {@link Lucce#trace}, frame by frame (class, method, line), by {@link Stacks}.
 *
 * <p>Both sides keep instrumented frames only: native methods, JDK and proxy classes, {@code agents} (may be loaded before
 * the agent is ready), {@code hazards.plain} (excluded by the driver) and methods named {@code tooLarge...} are left out.
 * Without the agent a point is only counted, so the output is the same.
 */
public final class Check {
    private static final AtomicLong POINTS = new AtomicLong();
    private static final AtomicLong WRONG = new AtomicLong();

    /** Does the target make methods obsolete? StackWalker knows no lines of those, and on 11 not even their names. */
    static volatile boolean obsolete;

    /** Methods (class, name) that another agent has changed behind Lucce, if any: they count as uninstrumented. */
    static volatile BiPredicate<String, String> changed;

    private Check() {}

    /** Compares the context of this very call with the real stack. */
    public static void here() {
        POINTS.incrementAndGet();
        if (!Lucce.active()) {
            return;
        }
        long context = Lucce.capture();
        List<String> real = Stacks.real(changed);
        List<String> decoded = Stacks.decoded(context, changed);
        if (decoded.isEmpty() || !decoded.get(0).startsWith("hazards.Check.here:")) {
            report(real, decoded);
        } else {
            compare(real, decoded);
        }
    }

    /** The real stack as seen from here, without this frame: for a later {@link #same}. */
    public static List<String> stack() {
        List<String> real = Stacks.real(changed);
        return real.subList(1, real.size());
    }

    /** Compares a context captured earlier (its innermost frame left out) with the stack taken beside it. */
    public static void same(List<String> real, long context) {
        if (!Lucce.active()) {
            return;
        }
        List<String> decoded = Stacks.decoded(context, changed);
        if (decoded.isEmpty()) {
            report(real, decoded);
        } else {
            compare(real, decoded);
        }
    }

    /** Fails the target unless both are equal. */
    public static void equal(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            WRONG.incrementAndGet();
            System.out.println("WRONG: expected " + expected + ", got " + actual);
        }
    }

    /** Fails the target with a reason. */
    public static void fail(String reason) {
        WRONG.incrementAndGet();
        System.out.println("WRONG: " + reason);
    }

    /** Last line of a target whose number of points is always the same. */
    public static void done(String target) {
        finish(target + ": ok, " + POINTS.get() + " points");
    }

    /** Last line of a target whose number of points depends on the scheduler or the collector. */
    public static void doneRacy(String target) {
        finish(target + ": ok" + (POINTS.get() > 0 ? "" : ", but no points"));
    }

    private static void finish(String line) {
        if (WRONG.get() != 0) {
            System.out.println("WRONG: " + WRONG.get() + " times");
            System.out.flush();
            Runtime.getRuntime().halt(1);
        }
        System.out.println(line);
        System.out.flush();
    }

    private static void compare(List<String> real, List<String> decoded) {
        if (!Stacks.agree(real, decoded, obsolete)) {
            report(real, decoded);
        }
    }

    private static synchronized void report(List<String> real, List<String> decoded) {
        if (WRONG.incrementAndGet() <= 5) {
            Stacks.print(real, decoded);
        }
    }
}
