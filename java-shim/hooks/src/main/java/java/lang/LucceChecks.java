package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * When the agent compares an entry with the real stack, under {@code verify}.
 *
 * <p><b>Invariant.</b> What is counted here spaces checks, and nothing else depends on it.
 */
final class LucceChecks {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int INTERVAL = LucceHooks.verifyInterval();
    /**
     * With {@code verify=<time>} the address of an {@code int} that changes each time; otherwise 0.
     */
    private static final long TICKS = LucceHooks.verifyTicks();
    /**
     * Entries and counts since the last check by interval, or the tick of that check. Racy: it
     * spaces checks, it counts nothing.
     */
    private static int sinceCheck;

    private LucceChecks() {}

    /** Initialises the class. */
    static void ready() {}

    /**
     * Under {@code verify}: has the agent compare the entry with the real stack at the first 16
     * uses of a link, at every power of two, at every {@code INTERVAL}-th entry, and whenever the
     * agent made the word ({@code p} is 0). With {@code verify=<time>} only at the first entry
     * behind a tick. Returns {@code word}.
     */
    @DontInline
    @Hidden
    static long verified(Thread t, int n, long word, long p) {
        boolean due = p == 0;
        if (!due) {
            int uses = U.getInt(p + LucceLayout.LINK_USES) + 1;
            U.putInt(p + LucceLayout.LINK_USES, uses);
            due = uses >= 0 && uses <= 16 || (uses & (uses - 1)) == 0;
        }
        if (isDue(due)) LucceHooks.check(t, n, word, p);
        return word;
    }

    /**
     * Is a check due by interval or tick, or since this is a first use? With ticks first uses are
     * like others.
     */
    @ForceInline
    @Hidden
    static boolean isDue(boolean first) {
        if (TICKS != 0) {
            int tick = U.getInt(TICKS);
            if (tick == sinceCheck) return false;
            sinceCheck = tick;
            return true;
        }
        if (++sinceCheck < INTERVAL) return first;
        sinceCheck = 0;
        return true;
    }
}
