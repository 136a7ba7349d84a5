package bench.count;

import java.util.concurrent.atomic.LongAdder;

/** The number of calls. */
public final class Calls {
    private static final LongAdder CALLS = new LongAdder();

    private Calls() {}

    public static void enter() {
        CALLS.increment();
    }

    static long sum() {
        return CALLS.sum();
    }
}
