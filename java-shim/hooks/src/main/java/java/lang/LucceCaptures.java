package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * Captured contexts and origins that have a number already: where the agent need not be asked.
 *
 * <p><b>Invariant.</b> A number is found only for the very context, shadow stack included. Records
 * are immutable, and nothing but the nodes of shadow stack entries is written.
 *
 * <p>Layout: {@link LucceLayout}; docs/design/thread-state.md ("Captures"), docs/design/origins.md.
 */
final class LucceCaptures {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Longs of an entry of the shadow stack. */
    private static final int ENTRY = LucceLayout.ENTRY;
    private static final int CALL = LucceLayout.ENTRY_CALL;
    /** Address of the pointer of bucket 0 of the table of captured contexts. */
    private static final long CAPTURES = LucceHooks.captureBuckets();
    private static final int CAPTURE_MASK = LucceHooks.captureMask();
    /** The same of the table of origins. */
    private static final long ORIGINS = LucceHooks.originBuckets();
    private static final int ORIGIN_MASK = LucceHooks.originMask();
    /** By which origin is counted, for each that may be in force on a thread. */
    private static final long KEYS = LucceHooks.originKeys();
    private static final int KEY_MASK = LucceLayout.ORIGIN_KEYS - 1;

    private LucceCaptures() {}

    /** Initialises the class. */
    static void ready() {}

    /**
     * The captured number of the context published last, {@link LucceShadowStack#normalizeState}; 0
     * if the agent has to be asked.
     */
    @ForceInline
    static long known(Thread t) {
        if (LucceHooks.ALGORITHM1) return 0;
        long ctx = t.$lucce$ctx;
        // The site is that of the last call of the API by code with hooks. If another has come
        // since, this word was not captured there.
        if (LucceHooks.HASHED) return captured(ctx, t.$lucce$site, 0);
        long below = 0;
        if ((ctx & LucceLayout.CHAINED) != 0) {
            int entry = topmostCut(t);
            if (entry < 0) return 0;
            long[] stack = t.$lucce$stack;
            below = stack[entry + LucceLayout.ENTRY_NODE] & LucceLayout.CAPTURED;
            if (below == 0 && (below = nodeOf(stack, entry)) == 0) return 0;
        }
        return captured(ctx, t.$lucce$site, below);
    }

    /**
     * The number of the origin with that captured context, kind and origin before it; 0 if the
     * agent has to be asked.
     */
    @ForceInline
    static int origin(long captured, int kind, int parent) {
        return (int) find(ORIGINS, ORIGIN_MASK, captured, kind, parent);
    }

    /**
     * The number that is counted by on a thread where this origin is in force; 0 where nobody wants
     * its counts apart.
     */
    @ForceInline
    static int key(int origin) {
        return KEYS == 0 ? 0 : U.getInt(KEYS + ((long) (origin & KEY_MASK) << 2));
    }

    /**
     * The node of the cut entry {@code last}, which does not know it: that of its caller's context,
     * looked up like any other, so from the lowest entry without a node upwards. Each node that is
     * found is kept in its entry, and every activation of a cut edge is looked up once. 0 if the
     * agent has to be asked.
     */
    @DontInline
    @Hidden
    static long nodeOf(long[] stack, int last) {
        int first = last;
        long node = 0;
        while (node == 0 && (stack[first] & LucceLayout.CHAINED) != 0) {
            int below = cutBelow(stack, first);
            if (below < 0) return 0;
            node = stack[below + LucceLayout.ENTRY_NODE] & LucceLayout.CAPTURED;
            if (node == 0) first = below;
        }
        for (int entry = first; entry <= last; entry += ENTRY) {
            if (stack[entry + CALL] >= 0) continue;
            node = captured(stack[entry], (int) stack[entry + CALL], node);
            if (node == 0) return 0;
            stack[entry + LucceLayout.ENTRY_NODE] |= node;
        }
        return node;
    }

    /**
     * The topmost cut entry of the thread's shadow stack; negative if there is none, or if the
     * shadow stack is not to be believed.
     */
    @ForceInline
    static int topmostCut(Thread t) {
        long[] stack = t.$lucce$stack;
        return stack == null || t.$lucce$doubted != 0 ? -1 : cutBelow(stack, t.$lucce$top & ~LucceLayout.UNSAVED);
    }

    /** The topmost cut entry below {@code top}; negative if there is none. */
    @ForceInline
    static int cutBelow(long[] stack, int top) {
        int entry = top - ENTRY;
        while (entry >= 0 && stack[entry + CALL] >= 0) entry -= ENTRY;
        return entry;
    }

    /**
     * The number captured for (ctx, site, below) before, or 0. A record of the hash table is
     * immutable: {@code i64 ctx; i32 site; i32 0; i64 below; i64 id; i64 next}, in bucket
     * {@code hash(site, (int) (ctx ^ ctx >>> 32) ^ (int) below)} with the formula of
     * {@link LucceHooks#miss}. {@code below} is the node below the topmost cut
     * entry, 0 if the word is not CHAINED.
     */
    @ForceInline
    private static long captured(long ctx, int site, long below) {
        return find(CAPTURES, CAPTURE_MASK, ctx, site, below);
    }

    /** The look-up of {@link #captured} in a table of such records. */
    @ForceInline
    private static long find(long table, int mask, long ctx, int site, long below) {
        int h = LucceLinks.hash(site, (int) (ctx ^ ctx >>> 32) ^ (int) below);
        long p = U.getLong(table + ((long) (h & mask) << 3));
        for (; p != 0; p = U.getLong(p + LucceLayout.CAPTURE_NEXT)) {
            if (U.getLong(p) == ctx && U.getInt(p + LucceLayout.CAPTURE_SITE) == site && U.getLong(p + LucceLayout.CAPTURE_BELOW) == below) {
                return U.getLong(p + LucceLayout.CAPTURE_ID);
            }
        }
        return 0;
    }
}
