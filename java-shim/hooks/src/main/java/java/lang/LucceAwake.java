package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What rewritten methods call that may sleep (ARCHITECTURE, "Hooks on demand"): the hooks of {@link LucceHooks}, if the thread is roused and the
 * method awake.
 *
 * <p>The agent defines this class in {@code java.base}, as it does {@link LucceHooks}, whose invariant holds here, too. An activation that sleeps
 * keeps 0, and publishes nothing, so what it calls finds UNKNOWN. In a thread that is not roused it looks at that field and nothing else: UNKNOWN is
 * published there, and there is nothing to be cleared. The JIT reads the field once for many entries, and before a loop, but not across a call;
 * and where waking matters, there is one: of the agent, which walks, and rouses the thread.
 *
 * <p>What is in line is short, and what only a roused thread runs is in methods of more than 35 bytes without an annotation: C1 calls those, so that a
 * program which warms up does not compile them into every method of its own, and C2 puts them in line where they are run often.
 */
public final class LucceAwake {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** In place of a site: a method returns, one that uninstrumented code may call or another. */
    private static final int LEAVE = -1, LEAVE_RISKY = -2;

    private LucceAwake() {}

    /** Has this class initialised with the hooks, not at the first entry. */
    static void ready() {}

    /** Entry of method {@code n}, as {@link LucceHooks#enter}: 0 if it sleeps, and otherwise what {@link #roused} says. */
    @ForceInline
    @Hidden
    public static long enter(Thread t, int n) {
        return t.$lucce$roused == 0 ? 0 : roused(t, n, true, true);
    }

    /** {@link LucceHooks#enterUntrusted} likewise. */
    @ForceInline
    @Hidden
    public static long enterUntrusted(Thread t, int n) {
        return t.$lucce$roused == 0 ? 0 : roused(t, n, false, true);
    }

    /**
     * A round of a loop begins in an activation of {@code n} that was asleep when it was entered: what it keeps, if it was woken. Who has published
     * last is not its caller, so the stack is walked.
     */
    @ForceInline
    @Hidden
    public static long beginRound(Thread t, int n) {
        return t.$lucce$roused == 0 || !isAwake(n) ? 0 : roused(t, n, false, true);
    }

    /** Entry of constructor {@code n}: 0 if it sleeps. It pushes nothing, so it keeps its word itself, with {@link LucceHooks#RESTORING}. */
    @ForceInline
    @Hidden
    public static long construct(Thread t, int n) {
        return t.$lucce$roused == 0 ? 0 : roused(t, n, true, false);
    }

    /** {@link #construct} where nobody is believed. */
    @ForceInline
    @Hidden
    public static long constructUntrusted(Thread t, int n) {
        return t.$lucce$roused == 0 ? 0 : roused(t, n, false, false);
    }

    /**
     * What an activation keeps: 0, if it sleeps; its word; or, if it has pushed, in one local what methods that never sleep have two for: RESTORING,
     * where on the chain its word is, and in the lower half what {@code top} must be set back to at exit.
     */
    @Hidden
    private static long roused(Thread t, int n, boolean trusted, boolean pushes) {
        if (!isAwake(n)) return asleep(t, n);
        long word = trusted ? LucceHooks.enter(t, n) : LucceHooks.enterUntrusted(t, n);
        if (word >= 0 || !pushes) return word;
        // Without memory nothing was pushed, and what the slot says then is that nothing is to be looked for on the chain.
        long place = t.$lucce$top - LucceChain.WORD_BELOW_TOP & Integer.MAX_VALUE;
        return LucceHooks.RESTORING | place << 32 | t.$lucce$slot;
    }

    /** Is method {@code n} awake? */
    @ForceInline
    @Hidden
    private static boolean isAwake(int n) {
        return U.getByte(LucceHooks.AWAKE + n) != 0;
    }

    /**
     * An activation sleeps in a thread that is roused. If something was published, it says whom a walk for what is called is to wake. Below sleepers
     * there is nothing to be stored.
     */
    @ForceInline
    @Hidden
    private static long asleep(Thread t, int n) {
        if (t.$lucce$site != LucceHooks.UNKNOWN) {
            t.$lucce$ctx = ~n;
            t.$lucce$site = LucceHooks.UNKNOWN;
        }
        return 0;
    }

    /**
     * The activation is about to run the instruction {@code site}: {@link LucceHooks#publish}, unless it sleeps. Or, with {@link #LEAVE} or
     * {@link #LEAVE_RISKY}, it returns: one hook, since each that a class names is looked up anew when that class uses it first. If the call of
     * this overflows the stack then, the method's handler does the same.
     */
    @ForceInline
    @Hidden
    public static void publish(long kept, int site) {
        if (kept != 0) publishKept(kept, site);
    }

    /** The word of an activation that has pushed is on the chain, but where there was no memory for it. */
    @Hidden
    private static void publishKept(long kept, int site) {
        Thread t = Thread.currentThread();
        if (site < 0) {
            leave(t, kept, site);
            return;
        }
        long word = kept;
        if (kept < 0) {
            boolean saved = ((int) kept & LucceChain.UNSAVED) == 0;
            word = saved ? t.$lucce$stack[(int) (kept >>> 32) & Integer.MAX_VALUE] : LucceChain.LOST_MEMORY;
        }
        t.$lucce$ctx = word;
        t.$lucce$site = site;
    }

    /** A method returns: what it has pushed goes. Of one that uninstrumented code may call, nothing is left published. */
    @ForceInline
    @Hidden
    private static void leave(Thread t, long kept, int site) {
        if (kept < 0) {
            t.$lucce$top = (int) kept;
            t.$lucce$site = LucceHooks.RESUME;
        } else if (site == LEAVE_RISKY) {
            t.$lucce$site = LucceHooks.UNKNOWN;
        }
    }

    /** {@link #publish} in a constructor. */
    @ForceInline
    @Hidden
    public static void publishConstructor(long word, int site) {
        if (word != 0) {
            Thread t = Thread.currentThread();
            t.$lucce$ctx = word & ~LucceHooks.RESTORING;
            t.$lucce$site = site;
        }
    }

    /**
     * {@link #publish} before {@code super(...)}. What is called there believes the constructor right below that has been published, and a
     * constructor that failed may have left its own word while the arguments were computed: one that sleeps denies it.
     */
    @ForceInline
    @Hidden
    public static void publishSuper(Thread t, long word, int site) {
        if (word != 0) {
            t.$lucce$ctx = word & ~LucceHooks.RESTORING;
            t.$lucce$site = word < 0 ? LucceHooks.CONSTRUCTING : site;
        } else if (t.$lucce$site != LucceHooks.UNKNOWN) {
            t.$lucce$site = LucceHooks.UNKNOWN;
        }
    }
}
