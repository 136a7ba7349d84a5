package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What enters methods that may be inactive (docs/design/lazy-hooks.md): the hooks of
 * {@link LucceHooks}, if they are enabled in the thread and the method is active.
 *
 * <p>The agent defines this class in {@code java.base}, as it does {@link LucceHooks}, whose
 * invariant holds here, too. An inactive activation has 0 for a word, and publishes that like any
 * other, so what it calls finds nobody's word. In a thread without them it looks at that field and
 * nothing else. The JIT reads the field once for many entries, and before a loop, but not across a
 * call; and where that matters, there is one: of the agent, which walks, and enables hooks in the
 * thread. With ticks the field is another one, read at each entry (docs/design/profiles.md).
 */
public final class LucceLazyEntry {
    private static final Unsafe U = Unsafe.getUnsafe();

    private LucceLazyEntry() {}

    /** Has this class initialised with the hooks, not at the first entry. */
    static void ready() {}

    /** Entry of method {@code n}, as {@link LucceHooks#enter}: 0 if it is inactive. */
    @ForceInline
    @Hidden
    public static long enter(Thread t, int n) {
        if (LucceProfile.TICKING) return LucceProfile.enterInactive(t, n, true);
        return t.$lucce$hooksEnabled == 0 ? 0 : enabled(t, n, true);
    }

    /** {@link LucceHooks#enterUntrusted} likewise. */
    @ForceInline
    @Hidden
    public static long enterUntrusted(Thread t, int n) {
        if (LucceProfile.TICKING) return LucceProfile.enterInactive(t, n, false);
        return t.$lucce$hooksEnabled == 0 ? 0 : enabled(t, n, false);
    }

    /**
     * A round of a loop begins in an activation of {@code n} that was inactive when it was entered.
     * Who has published last is not its caller, so the stack is walked.
     */
    @ForceInline
    @Hidden
    public static long pollBackEdge(Thread t, int n) {
        return t.$lucce$hooksEnabled == 0 ? 0 : enabled(t, n, false);
    }

    /**
     * In a method of more than 35 bytes, which C1 calls: a program that warms up does not compile
     * it into every method.
     */
    @Hidden
    static long enabled(Thread t, int n, boolean trusted) {
        if (U.getByte(LucceHooks.ACTIVE + n) == 0) return 0;
        return trusted ? LucceHooks.enter(t, n) : LucceHooks.enterUntrusted(t, n);
    }
}
