package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * Counts of allocations ({@code alloc=all}) and of invocations ({@code entries}), by exact context:
 * what rewritten methods call behind the instruction that is counted.
 *
 * <p><b>Invariant.</b> A count is added atomically to the one record of (word, site, node below,
 * class), and of the origin of the task that runs where a measurement wants to know it; so none is
 * lost and none is made up. The thread's state is as it was when a hook returns, however it
 * returns. A StackOverflowError inside a hook leaves the instruction uncounted, and the program
 * does not go on behind it either.
 *
 * <p>Layout of records: {@link LucceLayout}; docs/design/tallies.md.
 */
public final class LucceTallies {
    static {
        registerNatives();
    }

    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int SITE = LucceLayout.TALLY_SITE;
    private static final int BASE = LucceLayout.TALLY_BASE;
    private static final int OWNER = LucceLayout.TALLY_OWNER;
    private static final int COUNT = LucceLayout.TALLY_COUNT;
    private static final int BYTES = LucceLayout.TALLY_BYTES;
    private static final int NEXT = LucceLayout.TALLY_NEXT;
    private static final int SHIFT = LucceLayout.TALLY_SHIFT;
    private static final int ORIGIN = LucceLayout.TALLY_ORIGIN;

    /** Address of the pointer of bucket 0, and the mask for a bucket's index. */
    private static final long BUCKETS = buckets();
    private static final int BUCKET_MASK = bucketMask();
    /** Objects begin at multiples of this, less one. */
    private static final long PADDING = alignment() - 1L;
    /** Uses of a record that are all checked. */
    private static final int FIRST = 4;

    /**
     * Numbers of classes met lately, each in the place of its hash; what is not here the agent
     * knows.
     */
    private static final LucceClass[] CLASSES = new LucceClass[1 << 10];

    private LucceTallies() {}

    /** The method has been entered with {@code word}; {@code site} stands for its beginning. */
    @ForceInline
    @Hidden
    public static void entered(Thread t, long word, int site) {
        long p = near(t, word, ~site);
        if (p == 0) p = seek(t, word, site, ~site, null, 0);
        one(t, word, site, p);
    }

    /** An instance of {@code c} has been made; null in classes that have no class constants. */
    @ForceInline
    @Hidden
    public static void allocated(Class<?> c, Thread t, long word, int site) {
        long p = near(t, word, site);
        if (p == 0) p = seek(t, word, site, site, c, 0);
        one(t, word, site, p);
    }

    /** An array has been made. */
    @ForceInline
    @Hidden
    public static void array(Object a, Thread t, long word, int site) {
        long p = near(t, word, site);
        if (p == 0) p = seek(t, word, site, site, a.getClass(), 0);
        U.getAndAddLong(null, p + BYTES, size(p, java.lang.reflect.Array.getLength(a)));
        one(t, word, site, p);
    }

    /**
     * An array of arrays has been made, with all that it holds: those of one depth have one class
     * and one length.
     */
    @Hidden
    public static void arrays(Object a, Thread t, long word, int site) {
        long count = 1;
        while (true) {
            int length = java.lang.reflect.Array.getLength(a);
            long p = seek(t, word, site, site, a.getClass(), number(t, a.getClass()));
            U.getAndAddLong(null, p + BYTES, count * size(p, length));
            add(t, word, site, p, count);
            if (length == 0 || !(a instanceof Object[])) return;
            a = ((Object[]) a)[0];
            if (a == null) return;
            count *= length;
        }
    }

    /**
     * A {@code clone()} has returned: its result, or what it was called on. The agent says whether
     * it was {@code Object.clone}.
     */
    @Hidden
    public static void cloned(Object o, Thread t, long word, int site) {
        // It was not: a class of the program's between here and Object has answered.
        if (o == null) return;
        Class<?> c = o.getClass();
        long p = seek(t, word, site, site, c, number(t, c));
        if (c.isArray()) U.getAndAddLong(null, p + BYTES, size(p, java.lang.reflect.Array.getLength(o)));
        one(t, word, site, p);
    }

    /** Bytes of an array. */
    @ForceInline
    private static long size(long p, int length) {
        return U.getInt(p + BASE) + ((long) length << U.getInt(p + SHIFT)) + PADDING & ~PADDING;
    }

    @ForceInline
    @Hidden
    private static void one(Thread t, long word, int site, long p) {
        long uses = U.getAndAddLong(null, p + COUNT, 1);
        if (LucceHooks.VERIFY) verified(t, word, site, p, uses + 1);
    }

    @ForceInline
    @Hidden
    private static void add(Thread t, long word, int site, long p, long count) {
        long uses = U.getAndAddLong(null, p + COUNT, count);
        if (LucceHooks.VERIFY) verified(t, word, site, p, uses + 1);
    }

    /**
     * The first record of the bucket, if it is that of (word, key) without node, class and origin;
     * else 0. Others have the complement of the word.
     */
    @ForceInline
    private static long near(Thread t, long word, int key) {
        if (LucceCaptures.key(t.$lucce$origin) != 0) return 0;
        long p = U.getLong(bucket(word, key));
        return p != 0 && U.getLong(p) == word && U.getInt(p + SITE) == key ? p : 0;
    }

    @ForceInline
    private static long bucket(long word, int key) {
        return BUCKETS + ((long) (LucceLinks.hash(key, (int) (word ^ word >>> 32)) & BUCKET_MASK) << 3);
    }

    /**
     * The record of (word, key) with the thread's node below and origin and that class, wherever
     * it is;
     * made if it is not there. Never 0.
     */
    @DontInline
    @Hidden
    private static long seek(Thread t, long word, int site, int key, Class<?> c, int number) {
        long below = 0;
        if (LucceHooks.HASHED || (word & LucceLayout.CHAINED) == 0 || (below = nodeBelow(t)) != 0) {
            long owner = below << 32 | number;
            int origin = LucceCaptures.key(t.$lucce$origin);
            long first = owner == 0 && origin == 0 ? word : ~word;
            long p = U.getLong(bucket(word ^ owner ^ origin, key));
            for (; p != 0; p = U.getLong(p + NEXT)) {
                if (U.getLong(p) == first && U.getInt(p + SITE) == key && U.getLong(p + OWNER) == owner && U.getInt(p + ORIGIN) == origin) return p;
            }
        }
        return slow(t, word, site, 0, key, c, number);
    }

    /** The node of the thread's topmost cut entry; 0 if it is not known yet. */
    @ForceInline
    @Hidden
    private static long nodeBelow(Thread t) {
        int entry = LucceCaptures.topmostCut(t);
        if (entry < 0) return 0;
        long[] stack = t.$lucce$stack;
        long node = stack[entry + LucceLayout.ENTRY_NODE] & LucceLayout.CAPTURED;
        return node != 0 ? node : LucceCaptures.nodeOf(stack, entry);
    }

    /**
     * Has the agent make the record, or check the one that is there. The natives read what is
     * published, so that is this place meanwhile.
     */
    @DontInline
    @Hidden
    private static long slow(Thread t, long word, int site, long p, int key, Class<?> c, int number) {
        LucceShadowStack.normalizeState(t);
        long ctx = t.$lucce$ctx;
        int before = t.$lucce$site;
        // A hashed word is given mixed, before the site is added.
        t.$lucce$ctx = LucceHooks.HASHED ? word + site : word;
        t.$lucce$site = site;
        try {
            if (p == 0) return record(t, key, c, number);
            check(t, p);
            return p;
        } finally {
            t.$lucce$ctx = ctx;
            t.$lucce$site = before;
        }
    }

    /**
     * Under {@code verify}: has the agent compare the first uses of a record, those at powers of
     * two and every n-th with the real stack.
     */
    @DontInline
    @Hidden
    private static void verified(Thread t, long word, int site, long p, long uses) {
        boolean due = uses <= FIRST || (uses & (uses - 1)) == 0;
        if (!LucceChecks.isDue(due)) return;
        try {
            slow(t, word, site, p, 0, null, 0);
        } catch (VirtualMachineError e) {
            // The count stands, unchecked.
        }
    }

    /** The number of a class, for records of sites that make objects of several. */
    @DontInline
    @Hidden
    private static int number(Thread t, Class<?> c) {
        int at = System.identityHashCode(c) & (CLASSES.length - 1);
        LucceClass known = CLASSES[at];
        if (known != null && known.get() == c) return known.number;
        int number = classNumber(c);
        long ctx = LucceHooks.away(t);
        try {
            CLASSES[at] = new LucceClass(c, number);
        } catch (OutOfMemoryError e) {
            // The agent is asked again.
        } finally {
            LucceHooks.back(t, ctx);
        }
        return number;
    }

    private static native void registerNatives();
    private static native long buckets();
    private static native int bucketMask();
    /** A power of two. */
    private static native int alignment();
    /**
     * The address of the record of what the thread has published, with that key and class; of one
     * that counts what is lost without memory. It says that an array of {@code n} elements takes
     * {@code base + (n << shift)} bytes and its padding.
     */
    private static native long record(Thread t, int key, Class<?> c, int number);
    /**
     * The oracle: compares what the thread has published, and the record's context, with the real
     * stack.
     */
    private static native void check(Thread t, long record);
    /** From 1; -1 if there is none. */
    private static native int classNumber(Class<?> c);
}
