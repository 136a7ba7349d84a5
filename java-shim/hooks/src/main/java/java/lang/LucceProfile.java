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
    /**
     * With {@code profile=<time>} and bursts: the address of an {@code int} that changes each time;
     * otherwise 0.
     */
    private static final long TICKS = LucceHooks.profileTicks();
    static final boolean TICKING = TICKS != 0;
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

    /** Is there a tick since the thread's last sample? */
    @ForceInline
    static boolean hasTicked(Thread t) {
        return U.getIntOpaque(null, TICKS) != t.$lucce$tick;
    }

    /**
     * First entry of the thread behind a tick, of which the agent takes a sample; it walks where
     * the method is inactive.
     */
    @DontInline
    @Hidden
    static long ticked(Thread t, int n, int how) {
        int at = t.$lucce$tick;
        int tick = U.getIntOpaque(null, TICKS);
        t.$lucce$tick = tick;
        boolean trusted = (how & LucceHooks.UNTRUSTED) == 0;
        long word;
        if ((how & LucceHooks.MAY_BE_INACTIVE) != 0) {
            word = trusted ? LucceLazyEntry.enter(t, n) : LucceLazyEntry.enterUntrusted(t, n);
        } else {
            word = trusted ? LucceHooks.enter(t, n) : LucceHooks.enterUntrusted(t, n);
        }
        try {
            sampleAt(t, n, word, at, tick);
        } catch (VirtualMachineError e) {
            // As in due().
        }
        return word;
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
    private static void sampleAt(Thread t, int n, long word, int at, int tick) {
        if (BURSTS) {
            if ((tick & 1) == 0) return;
            t.$lucce$tick = tick - 1;
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
                int tick = U.getIntOpaque(null, TICKS);
                t.$lucce$tick = tick;
                sampleAt(t, n, mixed, at, tick);
            } else {
                t.$lucce$tick = -PERIOD;
                sampleNth(t, n, mixed, at);
            }
        } catch (VirtualMachineError e) {
            // As in due().
        }
    }
}
