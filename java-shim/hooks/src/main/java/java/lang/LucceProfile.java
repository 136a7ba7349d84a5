package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * When an entry is sampled, with {@code profile}: each n-th of a thread, the first behind a tick,
 * or all of a burst.
 *
 * <p><b>Invariant.</b> A sample changes no word: the entry stands, whatever taking the sample
 * throws. Source: docs/design/profiles.md.
 */
final class LucceProfile {
    private static final Unsafe U = Unsafe.getUnsafe();

    /**
     * With {@code profile}: entries of a thread from one sample to the next, about; otherwise 0.
     */
    private static final int PERIOD = LucceHooks.profilePeriod();
    static final boolean COUNTING = PERIOD != 0;
    /** {@code profile=<time>}, or bursts. */
    static final boolean TICKING = LucceHooks.profileTicks();
    /**
     * What a thread of the agent's changes each time then. It is a field of the heap's: neither the
     * interpreter nor C1 calls anything to read it.
     */
    static volatile int tick;
    /** Each entry is taken while that is odd, and none while it is even. */
    private static final boolean BURSTS = LucceHooks.profileBursts();

    private LucceProfile() {}

    /** Initialises the class. */
    static void ready() {}

    /**
     * Entry of method {@code n}, of which the agent takes a sample: the context that it was entered
     * in. Methods that are entered meanwhile, since the agent calls class loaders, count on.
     */
    @DontInline
    @Hidden
    static long due(Thread t, int n, boolean trusted) {
        int at = t.$lucce$tick;
        // This very entry counts again.
        t.$lucce$tick = -PERIOD - 1;
        long word = trusted ? LucceHooks.enter(t, n) : LucceHooks.enterUntrusted(t, n);
        try {
            sampleNth(t, n, word, at);
        } catch (VirtualMachineError e) {
            // As in LucceHooks.miss(): the entry stands, and no sample of it is taken. The call
            // itself may be what fails.
        }
        return word;
    }

    /** First entry of the thread behind a tick, in a method that has a word: as {@link #due}. */
    @DontInline
    @Hidden
    static long ticked(Thread t, int n, boolean trusted) {
        int at = t.$lucce$tick;
        int now = tick;
        t.$lucce$tick = now;
        long word = trusted ? LucceHooks.enter(t, n) : LucceHooks.enterUntrusted(t, n);
        try {
            sampleAt(t, n, word, at, now);
        } catch (VirtualMachineError e) {
            // As in due().
        }
        return word;
    }

    /**
     * The same of an inactive method, for which the agent walks. It gives no word: the JIT knows
     * that it is 0.
     */
    @DontInline
    @Hidden
    static void tickedInactive(Thread t, int n) {
        int at = t.$lucce$tick;
        int now = tick;
        t.$lucce$tick = now;
        try {
            if (now != at) sampleAt(t, n, 0, at, now);
            if (t.$lucce$hooksEnabled != 0) {
                t.$lucce$sampled = -1;
            } else if (!BURSTS) {
                t.$lucce$sampled = 1;
                // A tick that has come meanwhile may have missed this thread.
                if (!LucceHooks.untilTick(t) || tick != now) t.$lucce$sampled = 0;
            }
        } catch (VirtualMachineError e) {
            // As in due(); the next entry looks again.
            t.$lucce$sampled = 0;
        }
    }

    /** Entry of a method that may be inactive: most read one field, and nothing else. */
    @ForceInline
    @Hidden
    static long enterInactive(Thread t, int n, boolean trusted) {
        int sampled = t.$lucce$sampled;
        if (sampled < 0) return enabled(t, n, trusted);
        if (sampled == 0) tickedInactive(t, n);
        return 0;
    }

    /** The same in a thread with hooks enabled. */
    @Hidden
    private static long enabled(Thread t, int n, boolean trusted) {
        if (tick != t.$lucce$tick && U.getByte(LucceHooks.ACTIVE + n) == 0) tickedInactive(t, n);
        return LucceLazyEntry.enabled(t, n, trusted);
    }

    /**
     * Takes the sample of an entry whose turn it is by number, and counts down to the next. To be
     * called under a handler.
     */
    @Hidden
    private static void sampleNth(Thread t, int n, long word, int at) {
        int distance = PERIOD;
        try {
            distance = LucceHooks.sample(t, n, word, at);
        } finally {
            t.$lucce$tick = -distance;
        }
    }

    /**
     * Takes the sample of an entry behind a tick; in a burst the next one has its turn, too. To be
     * called under a handler.
     */
    @Hidden
    private static void sampleAt(Thread t, int n, long word, int at, int now) {
        if (BURSTS) {
            if ((now & 1) == 0) return;
            t.$lucce$tick = now - 1;
        }
        // A thread that has not entered anything yet did not run when it ticked.
        LucceHooks.sample(t, n, word, at == 0 && !BURSTS ? 1 : 0);
    }

    /** Takes the sample of an entry where words are hashed, whose local holds {@code mixed}. */
    @DontInline
    @Hidden
    static void takeHashed(Thread t, int n, long mixed) {
        int at = t.$lucce$tick;
        try {
            if (TICKING) {
                int now = tick;
                t.$lucce$tick = now;
                sampleAt(t, n, mixed, at, now);
            } else {
                t.$lucce$tick = -PERIOD;
                sampleNth(t, n, mixed, at);
            }
        } catch (VirtualMachineError e) {
            // As in due().
        }
    }
}
