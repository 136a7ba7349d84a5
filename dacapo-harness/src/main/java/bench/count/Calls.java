package bench.count;

import java.util.concurrent.atomic.LongAdder;

/** The number of calls. The boot loader defines it, so that classes of every loader can count. */
public final class Calls {
    private static final LongAdder CALLS = new LongAdder();

    private Calls() {}

    public static void enter() {
        CALLS.increment();
    }

    public static long sum() {
        return CALLS.sum();
    }
}
