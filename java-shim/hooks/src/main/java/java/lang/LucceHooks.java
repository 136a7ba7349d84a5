package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What rewritten methods call: the fast path in Java, everything else in the agent's natives.
 *
 * <p>The agent defines this class in {@code java.base} (JNI DefineClass, null loader). It calls
 * nothing that can be instrumented: no lambdas, no string concatenation, no collections.
 *
 * <p><b>Invariant.</b> An entry changes the thread's state wholly or not at all. All that can fail
 * (a call, an allocation) precedes the first store, and nothing but returns follows the last one;
 * so a StackOverflowError inside a hook leaves the state of before. What is called behind a push
 * all the same, to check the entry, is called under a handler: the call itself may be what fails,
 * for in the interpreter each needs a frame, whatever the JIT puts in line.
 *
 * <p>Layout of link records, shadow stack entries and thread fields: {@link LucceLayout};
 * docs/design/link-tables.md, docs/design/thread-state.md.
 */
public final class LucceHooks {
    static {
        // The one native that is found by its exported name; it registers the others, called from
        // this class as HotSpot wants it (registering from outside draws a warning for each
        // native).
        registerNatives();
        LucceShadowStack.ready();
        LucceLazyEntry.ready();
        LucceChecks.ready();
        LucceProfile.ready();
        LucceLinks.ready();
        LucceCaptures.ready();
        LucceApi.ready();
    }

    private static final Unsafe U = Unsafe.getUnsafe();

    static final int UNKNOWN = 0;
    static final int RESUME = -1;
    /**
     * Published before {@code super(...)} by a constructor whose word restores: no link answers for
     * it, and the agent looks.
     */
    static final int CONSTRUCTING = -2;

    /**
     * Set in what the hooks return, and nowhere else: the activation restores the thread's state
     * when it leaves. The prologue takes it off, so that words published are never negative.
     */
    static final long RESTORING = 1L << 63;

    /**
     * Address of a byte for each method, not 0 if it is active, the first of them if any was ever
     * activated; 0 where none is ever inactive.
     */
    static final long ACTIVE = active();
    static final boolean VERIFY = verifying();
    /** Which encoder makes the words; a constant for the JIT. */
    private static final int ENCODER = encoder();
    private static final int LUCCE = 0;
    private static final int NONE = 2;
    private static final int COUNT = 3;
    private static final int CCT = 4;
    /** Do words say contexts? */
    static final boolean CONTEXTS = ENCODER != NONE && ENCODER != COUNT;
    static final boolean TREES = ENCODER == CCT;
    /** Words are computed: entries ask nothing, and {@code $lucce$ctx} alone is published. */
    static final boolean HASHED = ENCODER == 5;
    /** The word of no context: {@code lucce_words::hashed::ADRIFT}. */
    private static final long ADRIFT = 1;
    /**
     * Each entry asks the agent, which keeps the word's version in {@code $lucce$version}
     * ({@code encoder=algorithm1}).
     */
    static final boolean ALGORITHM1 = ENCODER == 1;

    private LucceHooks() {}

    /**
     * The hooks are about to call code of the JDK's, which may have hooks itself: what the thread
     * has published belongs to another place. A hashed word would be believed there; a numbered one
     * says its site, which does not fit. What {@link #back} takes.
     */
    static long away(Thread t) {
        long ctx = t.$lucce$ctx;
        if (HASHED) t.$lucce$ctx = ADRIFT;
        return ctx;
    }

    /** That call has ended. */
    static void back(Thread t, long ctx) {
        if (HASHED) t.$lucce$ctx = ctx;
    }

    /**
     * Entry of method {@code n}: its word. When what is returned is negative (RESTORING),
     * {@code $lucce$slot} is what {@code top} must be set back to at exit.
     */
    @ForceInline
    @Hidden
    public static long enter(Thread t, int n) {
        if (LucceProfile.COUNTING && ++t.$lucce$tick >= 0) return LucceProfile.due(t, n, true);
        if (LucceProfile.TICKING && LucceProfile.tick != t.$lucce$tick) return LucceProfile.ticked(t, n, true);
        if (ENCODER != LUCCE) return otherwise(t, n);
        int site = t.$lucce$site;
        long ctx = t.$lucce$ctx;
        long value = U.getLong(LucceLinks.place(site, n));
        // Then the value is the callee's, and ctx of the value's version and of the caller's block.
        if ((ctx ^ value) >>> LucceLayout.ADDITION_BITS == LucceLinks.tag(n)) {
            long word = ctx + (value & LucceLinks.ADDITION);
            return VERIFY ? LucceChecks.verified(t, n, word, LucceLinks.record(n, ctx, site)) : word;
        }
        return miss(t, n, ctx, site);
    }

    /**
     * Where words are hashed, entry of method {@code n}, whose local holds {@code mixed}: is it the
     * turn of a sample?
     */
    @ForceInline
    @Hidden
    public static void enteredHashed(Thread t, int n, long mixed) {
        if (LucceProfile.COUNTING && ++t.$lucce$tick >= 0 || LucceProfile.TICKING && LucceProfile.tick != t.$lucce$tick) {
            LucceProfile.takeHashed(t, n, mixed);
        }
    }

    /** Entry of method {@code n} under another encoder. */
    @ForceInline
    @Hidden
    private static long otherwise(Thread t, int n) {
        if (ENCODER == NONE) return 0;
        if (ENCODER == COUNT) return counted(t);
        if (TREES) return LucceTree.enter(t, n);
        return entered(t, n);
    }

    /**
     * {@code encoder=count}: adds one to the thread's own cell, whose address serves as the word of
     * all its activations. So it is what every publish leaves in the thread, and a field of its own
     * is not needed.
     */
    @ForceInline
    @Hidden
    private static long counted(Thread t) {
        long cell = t.$lucce$ctx;
        // A Guard leaves ADRIFT, and puts back the cell that it found.
        if (cell >>> 1 == 0) t.$lucce$ctx = cell = countingCell();
        U.putLong(cell, U.getLong(cell) + 1);
        return cell;
    }

    /**
     * Entry of method {@code n} under Algorithm 1: every one may change the graph. The agent checks
     * first uses itself, for it has no links that count them.
     */
    @DontInline
    @Hidden
    private static long entered(Thread t, int n) {
        LucceShadowStack.normalizeState(t);
        long word = enterSlow(t, n, t.$lucce$ctx, t.$lucce$site);
        if (VERIFY) {
            try {
                if (LucceChecks.isDue(false)) check(t, n, word, 0);
            } catch (VirtualMachineError e) {
                // As in miss().
            }
        }
        return word;
    }

    /**
     * Entry of a method that the JVM itself calls ({@code <clinit>}, {@code loadClass}): whoever
     * published is not its caller.
     */
    @DontInline
    @Hidden
    public static long enterUntrusted(Thread t, int n) {
        if (HASHED) return enterWalk(t, n);
        if (LucceProfile.COUNTING && ++t.$lucce$tick >= 0) return LucceProfile.due(t, n, false);
        if (LucceProfile.TICKING && LucceProfile.tick != t.$lucce$tick) return LucceProfile.ticked(t, n, false);
        if (!CONTEXTS) return otherwise(t, n);
        LucceShadowStack.normalizeState(t);
        long buffer = TREES ? LucceTree.room(t) : 0;
        long word = enterWalk(t, n);
        try {
            if (TREES) LucceTree.put(buffer, word);
        } catch (VirtualMachineError e) {
            LucceTree.missed++;
        }
        if (VERIFY) {
            try {
                LucceChecks.verified(t, n, word, 0);
            } catch (VirtualMachineError e) {
                // As in miss().
            }
        }
        return word;
    }

    /** Was a method ever activated? */
    static boolean hasActivated() {
        return ACTIVE != 0 && U.getByte(ACTIVE) != 0;
    }

    /** The activation with {@code word} is about to run the instruction {@code site}. */
    @ForceInline
    @Hidden
    public static void publish(Thread t, long word, int site) {
        t.$lucce$ctx = word;
        t.$lucce$site = site;
    }

    /**
     * The site's value does not answer: take the record that is predicted, look in the hash table
     * of all links, then ask the agent. The bucket of (site, n), which the agent computes the same
     * way, is
     *
     * <pre>{@code
     * int h = (site * 0x9E3779B1) ^ (n * 0x85EBCA6B);
     * h ^= h >>> 15;
     * address = BUCKETS + ((long) (h & mask) << 3);
     * }</pre>
     */
    @DontInline
    @Hidden
    private static long miss(Thread t, int n, long ctx, int site) {
        long value = U.getLong(LucceLinks.place(site, n));
        // An inactive caller has no word, and one that is lost none that says a context, though
        // some links hold for each.
        if (value < 0 && (value & LucceLayout.ALWAYS) != 0 && ctx >= LucceLayout.VERSIONED) {
            // What recursion enters by: site and callee are all that is compared.
            long p = value & LucceLayout.ADDRESS;
            long word = U.getLong(p + LucceLayout.LINK_AV);
            // A record that is not used any more becomes zero even while it is read: it counts if
            // it is one afterwards.
            U.loadFence();
            if (U.getLong(p) == ((long) site << 32 | ~n & 0xFFFF_FFFFL)) {
                word = LucceShadowStack.push(t, ctx, site, n, word, true);
                if (VERIFY) {
                    try {
                        LucceChecks.verified(t, n, word, p);
                    } catch (VirtualMachineError e) {
                        // As below.
                    }
                }
                return word;
            }
        }
        if (site == RESUME) {
            LucceShadowStack.resolveResume(t);
            ctx = t.$lucce$ctx;
            site = t.$lucce$site;
            value = U.getLong(LucceLinks.place(site, n));
        }
        long predicted = value < 0 ? value & LucceLayout.ADDRESS : 0;
        long p = ctx < LucceLayout.VERSIONED ? 0 : LucceLinks.found(t, n, ctx, site, predicted);
        long av = 0;
        int kind = 0;
        if (p != 0) {
            av = U.getLong(p + LucceLayout.LINK_AV);
            kind = U.getInt(p + LucceLayout.LINK_KIND);
            // As above.
            U.loadFence();
            if (U.getInt(p + LucceLayout.LINK_CALLEE) == 0) p = 0;
        }
        long word;
        if (p != 0) {
            word = follow(t, n, ctx, site, av, kind);
        } else {
            LucceShadowStack.normalizeState(t);
            word = enterSlow(t, n, ctx, site);
        }
        if (VERIFY) {
            try {
                LucceChecks.verified(t, n, word, p);
            } catch (VirtualMachineError e) {
                // The entry stands, unchecked: it may have pushed, and only the method's own exit
                // pops. An OutOfMemoryError is what the JVM throws at the end of the stack when the
                // heap is full.
            }
        }
        return word;
    }

    /** The word that a link of that addition value and kind gives, pushed if the link says so. */
    @ForceInline
    @Hidden
    private static long follow(Thread t, int n, long ctx, int site, long av, int kind) {
        if (kind == LucceLayout.PLAIN) return ctx + av;
        if (kind == LucceLayout.PUSHED) return LucceShadowStack.push(t, ctx, site, n, ctx + av, false);
        if (kind == LucceLayout.CUT) return LucceShadowStack.push(t, ctx, site, n, av, true);
        return (ctx + av) | RESTORING;
    }

    /**
     * Under {@code verify}, where words are hashed: has the agent compare what a method was entered
     * with, mixed, with the real stack.
     */
    @DontInline
    @Hidden
    public static void checkHashed(Thread t, int n, long mixed) {
        if (!LucceChecks.isDue(false)) return;
        try {
            check(t, n, mixed, 0);
        } catch (VirtualMachineError e) {
            // The entry stands, unchecked.
        }
    }

    private static native void registerNatives();
    static native long values();
    static native long linkBuckets();
    static native int bucketMask();
    static native long shortcuts();
    static native int shortcutMask();
    static native long captureBuckets();
    static native int captureMask();
    private static native long active();
    static native long originBuckets();
    static native int originMask();
    /** Address of the keys of origins; 0 where nothing is counted by them. */
    static native long originKeys();
    private static native boolean verifying();
    static native int verifyInterval();
    static native long verifyTicks();
    /**
     * 0 Lucce's own, 1 Algorithm 1, 2 none, 3 none but counting, 4 a calling context tree, 5
     * computed words.
     */
    private static native int encoder();
    static native int profilePeriod();
    static native boolean profileTicks();
    static native boolean profileBursts();
    /** At the next tick the agent makes {@code $lucce$sampled} 0. False if it cannot. */
    static native boolean untilTick(Thread t);
    /**
     * Takes a sample of an entry of {@code n} that was given {@code word}; {@code at} is 1 at the
     * first entry of a thread, of which none is taken. Entries to the next one, at least 1.
     */
    static native int sample(Thread t, int n, long word, int at);
    /** The address of a new thread's count, a {@code long} that the agent adds up at the end. */
    private static native long countingCell();

    /**
     * Finds or makes the link (site, n) at {@code ctx}, walks if it must, pushes if the link is
     * pushed. Returns as {@link #enter}.
     */
    static native long enterSlow(Thread t, int n, long ctx, int site);
    /**
     * So many entries found their plain links as records, the last of them this one: the agent may
     * predict it from now on, for those that are found often are most likely met here; or start a
     * new version, whose links have values.
     */
    static native void foundOften(long record, int entries);
    /**
     * An entry whose caller only a walk can tell; always pushed, but for constructors. Returns as
     * {@link #enter}.
     */
    private static native long enterWalk(Thread t, int n);
    /**
     * The oracle: compares {@code word} at {@code n} with the real stack. {@code record} is the
     * link's address, or 0.
     */
    static native void check(Thread t, int n, long word, long record);
}
