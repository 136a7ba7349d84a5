package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What enters methods that may sleep (docs/design/lazy-hooks.md): the hooks of {@link LucceHooks}, if the thread is roused and the method
 * awake.
 *
 * <p>The agent defines this class in {@code java.base}, as it does {@link LucceHooks}, whose invariant holds here, too. An activation that sleeps
 * has 0 for a word, and publishes that like any other, so what it calls finds nobody's word. In a thread that is not roused it looks at that field
 * and nothing else. The JIT reads the field once for many entries, and before a loop, but not across a call; and where waking matters, there is one:
 * of the agent, which walks, and rouses the thread.
 */
public final class LucceAwake {
    private static final Unsafe U = Unsafe.getUnsafe();

    private LucceAwake() {}

    /** Has this class initialised with the hooks, not at the first entry. */
    static void ready() {}

    /** Entry of method {@code n}, as {@link LucceHooks#enter}: 0 if it sleeps. */
    @ForceInline
    @Hidden
    public static long enter(Thread t, int n) {
        if (LucceProfile.TICKING && LucceProfile.hasTicked(t)) return LucceProfile.ticked(t, n, LucceHooks.MAY_SLEEP);
        return t.$lucce$roused == 0 ? 0 : roused(t, n, true);
    }

    /** {@link LucceHooks#enterUntrusted} likewise. */
    @ForceInline
    @Hidden
    public static long enterUntrusted(Thread t, int n) {
        if (LucceProfile.TICKING && LucceProfile.hasTicked(t)) return LucceProfile.ticked(t, n, LucceHooks.MAY_SLEEP | LucceHooks.UNTRUSTED);
        return t.$lucce$roused == 0 ? 0 : roused(t, n, false);
    }

    /**
     * A round of a loop begins in an activation of {@code n} that was asleep when it was entered. Who has published last is not its caller, so the
     * stack is walked.
     */
    @ForceInline
    @Hidden
    public static long beginRound(Thread t, int n) {
        return t.$lucce$roused == 0 ? 0 : roused(t, n, false);
    }

    /** In a method of more than 35 bytes, which C1 calls: a program that warms up does not compile it into every method. */
    @Hidden
    private static long roused(Thread t, int n, boolean trusted) {
        if (U.getByte(LucceHooks.AWAKE + n) == 0) return 0;
        return trusted ? LucceHooks.enter(t, n) : LucceHooks.enterUntrusted(t, n);
    }
}
