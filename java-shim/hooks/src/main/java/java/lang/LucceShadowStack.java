package java.lang;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * A thread's shadow stack: what restoring activations have put by, for whom they return to and for
 * what captures are made of.
 *
 * <p><b>Invariant.</b> As in {@link LucceHooks}: all that can fail precedes the first store.
 * Entries below {@code top} are never written again.
 *
 * <p>Layout of an entry: {@link LucceLayout}; docs/design/thread-state.md.
 */
public final class LucceShadowStack {
    private static final int UNKNOWN = 0;
    private static final int RESUME = -1;
    /** The word of an activation whose entry found no memory. */
    private static final long LOST_MEMORY = 1;

    /** Longs of an entry. */
    private static final int ENTRY = LucceLayout.ENTRY;
    private static final int FIRST_LENGTH = 64;
    /**
     * Set in {@code top} by the exit of a frame that should have pushed but had no memory: it saved
     * nothing to go back to, so {@link #resolveResume} makes its RESUME an UNKNOWN. Readers of
     * {@code top} strip it; a shadow stack never grows that long.
     */
    private static final int UNSAVED = LucceLayout.UNSAVED;

    private LucceShadowStack() {}

    /** Has this class initialised with the hooks, not at the first entry that pushes. */
    static void ready() {}

    /**
     * Resolves RESUME, so that {@code ctx} and {@code site} can be saved and put back whatever
     * happens to the shadow stack between.
     */
    @Hidden
    public static void resolveResume(Thread t) {
        if (LucceHooks.TREES) LucceTree.own(t);
        if (t.$lucce$site != RESUME) return;
        int top = t.$lucce$top;
        if ((top & UNSAVED) != 0) {
            t.$lucce$top = top & ~UNSAVED;
            t.$lucce$site = UNKNOWN;
            return;
        }
        long[] stack = t.$lucce$stack;
        t.$lucce$ctx = stack[top];
        t.$lucce$site = (int) stack[top + LucceLayout.ENTRY_CALL];
        if (LucceHooks.ALGORITHM1) t.$lucce$version = (int) (stack[top + LucceLayout.ENTRY_NODE] >>> 32);
    }

    /** {@link #resolveResume}, and {@code top} a plain index: the state as natives read it. */
    @Hidden
    static void normalizeState(Thread t) {
        resolveResume(t);
        t.$lucce$top &= ~UNSAVED;
    }

    /**
     * Puts (ctx, site) of the caller and (n, w) of the callee on the shadow stack and clears the
     * site. Returns {@code w}, or the word LOST when there is no memory, with
     * {@link LucceHooks#RESTORING}: nothing is pushed then, and the frame's exit leaves UNKNOWN.
     * The agent does the same for what it found by a walk.
     */
    @ForceInline
    @Hidden
    public static long push(Thread t, long ctx, int site, int n, long w, boolean cut) {
        int top = t.$lucce$top & ~UNSAVED;
        long[] stack = t.$lucce$stack;
        if (stack == null || top + ENTRY > stack.length) {
            long[] grown = grown(stack);
            if (grown == null) {
                t.$lucce$top = top;
                t.$lucce$slot = top | UNSAVED;
                t.$lucce$site = UNKNOWN;
                return LOST_MEMORY | LucceHooks.RESTORING;
            }
            t.$lucce$stack = stack = grown;
        }
        stack[top] = ctx;
        stack[top + LucceLayout.ENTRY_CALL] = (cut ? 1L << 63 : 0) | (long) n << 32 | site & 0xFFFF_FFFFL;
        stack[top + LucceLayout.ENTRY_WORD] = w;
        stack[top + LucceLayout.ENTRY_NODE] = 0;
        t.$lucce$slot = top;
        t.$lucce$top = top + ENTRY;
        t.$lucce$site = UNKNOWN;
        return w | LucceHooks.RESTORING;
    }

    /** A stack of twice the length with the same entries; null when there is no memory for it. */
    @DontInline
    @Hidden
    private static long[] grown(long[] stack) {
        int length = stack == null ? 0 : stack.length;
        if (length >= UNSAVED / 2) return null;
        try {
            long[] grown = new long[length == 0 ? FIRST_LENGTH : length * 2];
            if (length != 0) System.arraycopy(stack, 0, grown, 0, length);
            return grown;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }
}
