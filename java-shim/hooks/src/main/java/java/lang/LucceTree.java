package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The fast path of {@code encoder=cct}: the child of the caller's node, first in the slot of its
 * site, then in the tree's hash table.
 *
 * <p><b>Invariant.</b> As in {@link LucceHooks}: an entry changes the thread's state wholly or not
 * at all. The tree is only read here, but for the slots; nodes are made by the agent, which no
 * StackOverflowError interrupts.
 *
 * <p>Layout of nodes, edges and trees: {@link LucceLayout}; {@code hook-tables/src/cct}.
 */
final class LucceTree {
    static {
        registerNatives();
    }

    private static final Unsafe U = Unsafe.getUnsafe();

    /**
     * Flag of a word: it is a node, neither lost nor none. Gone when the word is shifted to an
     * address.
     */
    private static final long NODE = LucceLayout.TREE;
    private static final int NODE_SHIFT = LucceLayout.NODE_SHIFT;

    private static final int RESUME = -1;

    /** Are entries written into buffers ({@code agent/src/encode/cct/trace.rs})? */
    private static final boolean TRACES = traces();
    /**
     * Entries that could not be written, since the stack was used up, until the agent is told.
     * Racy.
     */
    static int missed;

    /** Address of the head of tree 0. */
    private static final long TREES = trees();
    /** Address of the first bucket of edges. */
    private static final long EDGES = edges();

    private LucceTree() {}

    /** Entry of method {@code n}: the word of its node, as {@link LucceHooks#enter}. */
    @ForceInline
    @Hidden
    static long enter(Thread t, int n) {
        return TRACES ? traced(t, n) : entered(t, n);
    }

    @ForceInline
    @Hidden
    private static long entered(Thread t, int n) {
        int site = t.$lucce$site;
        long ctx = t.$lucce$ctx;
        if ((ctx & NODE) != 0) {
            long child = U.getLong(slot(ctx << NODE_SHIFT, site));
            if (U.getLong(child << NODE_SHIFT) == key(site, n)) return LucceHooks.VERIFY ? verified(t, n, child) : child;
        }
        return miss(t, n, ctx, site);
    }

    @DontInline
    @Hidden
    private static long traced(Thread t, int n) {
        long buffer = room(t);
        long word = entered(t, n);
        try {
            put(buffer, word);
        } catch (VirtualMachineError e) {
            // The entry stands: it may have pushed, and only the method's own exit pops.
            missed++;
        }
        return word;
    }

    /**
     * The buffer into which the next entry is to be written, 0 for none. All that {@link #put}
     * calls is called here, too, from the same depth: where the stack ends, it ends before the
     * entry.
     */
    @DontInline
    @Hidden
    static long room(Thread t) {
        if (!TRACES) return 0;
        int tree = t.$lucce$version;
        long buffer = tree == 0 ? 0 : U.getLong(TREES + ((long) tree << LucceLayout.TREE_BITS) + LucceLayout.TREE_TRACE);
        if (buffer == 0 || missed != 0 || U.getLong(buffer) >= U.getLong(buffer + LucceLayout.BUFFER_FULL)) {
            int told = missed;
            missed = 0;
            buffer = buffer(t, told);
        }
        if (buffer != 0) U.putLongRelease(null, buffer, U.getLong(buffer));
        return buffer;
    }

    /** Writes an entry; to be called under a handler, for it stands already. */
    @DontInline
    @Hidden
    static void put(long buffer, long word) {
        if (buffer == 0) return;
        long at = U.getLong(buffer);
        // Only so many entries within entries.
        if (at >= U.getLong(buffer + LucceLayout.BUFFER_END)) {
            missed++;
            return;
        }
        U.putLong(at, word & ~LucceHooks.RESTORING);
        U.putLongRelease(null, buffer, at + 8);
    }

    /** Gives the thread a tree, for a guard to save and restore. */
    @ForceInline
    @Hidden
    static void own(Thread t) {
        if (t.$lucce$version == 0) adopt(t);
    }

    @ForceInline
    private static long key(int site, int n) {
        return (long) site << 32 | n;
    }

    @ForceInline
    private static long slot(long node, int site) {
        return node + LucceLayout.NODE_SLOTS + ((site & 7) << 3);
    }

    /**
     * The child is not the one met last at its slot: look in the table of the tree, then ask the
     * agent.
     */
    @DontInline
    @Hidden
    private static long miss(Thread t, int n, long ctx, int site) {
        if (site == RESUME) {
            LucceShadowStack.resolveResume(t);
            ctx = t.$lucce$ctx;
            site = t.$lucce$site;
        }
        long word = known(t, n, ctx, site);
        if (word == 0) {
            LucceShadowStack.normalizeState(t);
            word = LucceHooks.enterSlow(t, n, ctx, site);
        }
        if (LucceHooks.VERIFY) {
            try {
                verified(t, n, word);
            } catch (VirtualMachineError e) {
                // The entry stands, unchecked: it may have pushed, and only the method's own exit
                // pops.
            }
        }
        return word;
    }

    /** The word of the entry if its edge is known, pushed if the edge says so; 0 otherwise. */
    @ForceInline
    @Hidden
    private static long known(Thread t, int n, long ctx, int site) {
        int tree = t.$lucce$version;
        if (site <= 0 || (ctx & NODE) == 0 || tree == 0) return 0;
        long parent = ctx << NODE_SHIFT;
        long key = key(site, n);
        long node = find(TREES + ((long) tree << LucceLayout.TREE_BITS), parent, key);
        long edge = node == 0 ? 0 : U.getLong(node + LucceLayout.NODE_EDGE);
        if (edge == 0) {
            edge = edge(key);
            if (edge == 0) return 0;
            node = child(tree, parent, edge);
            if (node == 0) return 0;
        }
        long word = node >>> NODE_SHIFT | NODE;
        int kind = U.getInt(edge + LucceLayout.EDGE_KIND);
        if (kind == LucceLayout.PLAIN) {
            U.putLong(slot(parent, site), word);
            return word;
        }
        if (kind == LucceLayout.PUSHED) return LucceShadowStack.push(t, ctx, site, n, word, false);
        return word | LucceHooks.RESTORING;
    }

    @ForceInline
    private static long find(long tree, long parent, long key) {
        long table = U.getLong(tree);
        int shift = U.getInt(tree + LucceLayout.TREE_SHIFT);
        long index = (parent * LucceLayout.SPREAD_PARENT + key * LucceLayout.SPREAD_KEY) >>> shift;
        while (true) {
            long node = U.getLong(table + (index << 3));
            if (node == 0) return 0;
            if (U.getLong(node + LucceLayout.NODE_PARENT) == parent && (U.getLong(node) & ~LucceLayout.ASK) == key) return node;
            index = (index + 1) & (-1L >>> shift);
        }
    }

    @ForceInline
    private static long edge(long key) {
        long edge = U.getLong(EDGES + (key * LucceLayout.EDGE_SPREAD >>> 64 - LucceLayout.EDGE_BITS << 3));
        while (edge != 0 && U.getLong(edge) != key) edge = U.getLong(edge + LucceLayout.EDGE_NEXT);
        return edge;
    }

    /** As {@link LucceChecks#verified}, the uses counted by edge. */
    @DontInline
    @Hidden
    private static long verified(Thread t, int n, long word) {
        long edge = (word & NODE) == 0 ? 0 : U.getLong((word << NODE_SHIFT) + LucceLayout.NODE_EDGE);
        // It counts where a link would have its counter.
        return LucceChecks.verified(t, n, word, edge == 0 ? 0 : edge + LucceLayout.EDGE_USES - LucceLayout.LINK_USES);
    }

    private static native void registerNatives();
    private static native long trees();
    private static native long edges();
    /** The node below {@code parent} by that edge, made if it is not there; 0 without memory. */
    private static native long child(int tree, long parent, long edge);
    /** Gives the thread a tree. */
    private static native void adopt(Thread t);
    private static native boolean traces();
    /**
     * The thread's buffer, with a place for an entry; 0 if the next is not traced. {@code missed}
     * entries could not be written.
     */
    private static native long buffer(Thread t, int missed);
}
