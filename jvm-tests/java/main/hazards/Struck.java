package hazards;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;

/** Code that events of another agent strike everywhere: entries, exits, exceptions of the JVM's own, single bytecodes. */
public final class Struck {
    private static int zero;

    private Struck() {}

    static int apply(IntUnaryOperator how, int n) {
        return how.applyAsInt(n);
    }

    /** Recursion: what a dead activation has published looks like its own. */
    static int first(int n) {
        return n <= 0 ? apply(i -> i, n) : first(n - 1) + apply(i -> i + 1, n);
    }

    static int divided(int n) {
        int before = apply(i -> i * 2, n);
        try {
            return before / zero;
        } catch (ArithmeticException e) {
            return apply(i -> i - 1, before);
        }
    }

    static final class Made {
        final int value;

        Made(int n) {
            value = apply(i -> i + 3, n);
        }

        Made(Made other) {
            this(other.value);
            apply(i -> i / zero, value);
        }
    }

    static int made(int n) {
        try {
            return new Made(new Made(n)).value;
        } catch (ArithmeticException e) {
            return apply(i -> i, n);
        }
    }

    static int early(Made made) {
        if (made == null) return 0;
        return apply(i -> i, made.value);
    }

    static int all(int n) {
        int[] sum = {0};
        List.of(1, 2, 3).forEach(i -> sum[0] += first(i) + divided(i) + made(i) + early(i == 2 ? null : new Made(i)));
        return sum[0] + apply(i -> early(null), n);
    }

    private static volatile boolean done;

    /** What it calls is code with hooks, or of the JDK alone. */
    static void held(Runnable how) {
        how.run();
    }

    static int once(Thread main, int n) {
        try {
            while (main.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return all(n);
    }

    public static void main(String[] args) throws Exception {
        int sum = all(1);
        int[] other = {0};
        Thread main = Thread.currentThread();
        Thread thread = new Thread(() -> {
            other[0] = once(main, 2);
            done = true;
            LockSupport.unpark(main);
        });
        thread.start();
        for (int round = 0; !done; round++) {
            held(round == 0 ? () -> org.lucce.Lucce.capture() : LockSupport::park);
        }
        thread.join();
        for (int i = 0; i < 5; i++) org.lucce.Lucce.event("struck", i);
        System.gc();
        System.out.println(sum + " " + other[0]);
    }
}
