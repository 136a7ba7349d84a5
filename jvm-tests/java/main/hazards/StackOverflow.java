package hazards;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * StackOverflowError at every depth: the overflow is shifted frame by frame through hooks, bodies and exits, caught by
 * instrumented code, by every frame near the top, and by FutureTask; the program goes on each time.
 */
public final class StackOverflow {
    static final int SHIFTS = 14;
    static int sink;

    private StackOverflow() {}

    /** Leads to a check, so that whoever calls it has hooks; but there is none at these depths. */
    static void hooked(int n) {
        if (n < 0) {
            Check.here();
        }
    }

    static int narrow(int n) {
        hooked(n);
        return narrow(n + 1) + 1;
    }

    static long wide(int n, long a, long b, double c, String d) {
        hooked(n);
        long e = a + n;
        long f = b ^ e;
        return wide(n + 1, e, f, c + 1, d) + e + f;
    }

    static int two(int n) {
        hooked(n);
        return n % 2 == 0 ? two(n + 1) + leaf(n) : other(n + 1) + 1;
    }

    static int other(int n) {
        hooked(n);
        return two(n + 1) + 1;
    }

    static int leaf(int n) {
        hooked(n);
        return helper(n) + 1;
    }

    static int helper(int n) {
        sink += n;
        return n;
    }

    /** Every frame catches, and calls again with what stack is left. */
    static int stubborn(int n) {
        hooked(n);
        try {
            return stubborn(n + 1) + 1;
        } catch (StackOverflowError e) {
            return leaf(n);
        }
    }

    /** Every frame has a finally block that calls. */
    static int last(int n) {
        hooked(n);
        try {
            return last(n + 1) + 1;
        } finally {
            helper(n);
        }
    }

    static final class Chain {
        final Chain next;

        Chain(int n) {
            this(n, "next");
        }

        Chain(int n, String unused) {
            next = new Chain(n + unused.length());
        }
    }

    static final List<String> ONE = Collections.singletonList("one");

    static int callback(int n) {
        int[] result = new int[1];
        ONE.forEach(s -> result[0] = callback(n + 1));
        return result[0] + 1;
    }

    static int spread(int n) {
        List<Integer> list = new ArrayList<>(List.of(2, 1));
        list.sort((a, b) -> spread(n + 1));
        return list.get(0);
    }

    static int dispatch(int kind) {
        switch (kind) {
            case 0:
                return narrow(0);
            case 1:
                return (int) wide(0, 1, 2, 3, "d");
            case 2:
                return two(0);
            case 3:
                return last(0);
            case 4:
                return new Chain(0).next.hashCode();
            case 5:
                return callback(0);
            default:
                return spread(0);
        }
    }

    /** Takes `shift` more frames before the recursion begins, so that it ends elsewhere. */
    static int shifted(int shift, int kind) {
        return shift == 0 ? dispatch(kind) : shifted(shift - 1, kind) + 1;
    }

    static void caughtHere(int shift, int kind) {
        try {
            shifted(shift, kind);
            Check.fail("no overflow");
        } catch (StackOverflowError e) {
            Check.here();
        }
        leaf(kind);
        Check.here();
    }

    static void caughtByTask(int shift, int kind) throws InterruptedException {
        Callable<Integer> body = () -> shifted(shift, kind);
        FutureTask<Integer> task = new FutureTask<>(body);
        task.run();
        Check.here();
        leaf(kind);
        try {
            task.get();
            Check.fail("no overflow");
        } catch (ExecutionException e) {
            Check.equal(StackOverflowError.class, e.getCause().getClass());
        }
        Check.here();
    }

    static void rounds(int shift) {
        try {
            for (int kind = 0; kind < 7; kind++) {
                if (kind == 4 && shift % 8 != 0) {
                    // A constructor pushes nothing that could be marked as confirmed: each level is walked to the base.
                    continue;
                }
                caughtHere(shift, kind);
                caughtByTask(shift, kind);
            }
            stubborn(shift);
            Check.here();
        } catch (InterruptedException e) {
            Check.fail("interrupted");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        // What must be loaded and linked is so before any stack is short.
        Check.here();
        new FutureTask<>(() -> leaf(1)).run();
        spreadOnce();
        for (int shift = 0; shift < SHIFTS; shift++) {
            int n = shift;
            Thread thread = new Thread(null, () -> rounds(n), "overflow-" + n, 240 * 1024 + 16L * n);
            thread.start();
            thread.join();
        }
        Check.here();
        Check.done("StackOverflow");
    }

    private static void spreadOnce() {
        List<Integer> list = new ArrayList<>(List.of(2, 1));
        list.sort((a, b) -> leaf(1));
        ONE.forEach(s -> leaf(s.length()));
    }
}
