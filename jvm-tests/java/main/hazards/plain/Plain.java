package hazards.plain;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** Excluded by the driver: an uninstrumented link in a chain of methods of one name and descriptor. */
public class Plain implements IntUnaryOperator, Supplier<Object> {
    private final IntUnaryOperator next;

    public Plain(IntUnaryOperator next) {
        this.next = next;
    }

    @Override
    public int applyAsInt(int n) {
        return next.applyAsInt(n) + next.applyAsInt(n + 1);
    }

    @Override
    public Object get() {
        return next.applyAsInt(1);
    }

    /** Overridden by instrumented classes; calls itself on another object. */
    public int twice(Plain other, int n) {
        return n == 0 ? 0 : other.twice(this, n - 1) + other.twice(this, n - 1);
    }

    /** A static of the same shape as its callers. */
    public static int relay(IntUnaryOperator target, int n) {
        return target.applyAsInt(n);
    }

    /** Runs its argument and swallows what it throws. */
    public static boolean swallow(Runnable body) {
        try {
            body.run();
            return true;
        } catch (RuntimeException | StackOverflowError e) {
            return false;
        }
    }

    /** Runs the one, whether it fails or not, and then the other with the switch on. */
    public static void bothRun(Runnable first, AtomicBoolean on, Runnable second) {
        try {
            first.run();
        } catch (RuntimeException e) {
            // It was to fail.
        }
        on.set(true);
        second.run();
    }
}
