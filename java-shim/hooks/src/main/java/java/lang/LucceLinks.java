package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What is known of a call: the values, which {@link LucceHooks#enter} reads, and the records of all
 * links behind them. The agent writes both.
 *
 * <p><b>Invariant.</b> Nothing here writes but the shortcuts, which are racy and checked whole, and
 * the count of what is found late. A record that is read may become zero meanwhile: whoever uses
 * what it says looks again behind a fence.
 *
 * <p>Layout: {@link LucceLayout}; docs/design/words-and-numbering.md ("Values"),
 * docs/design/link-tables.md.
 */
final class LucceLinks {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Address of the value of site 0: those of all sites, eight times. */
    private static final long VALUES = LucceHooks.values();
    /**
     * Low bits of a callee's id that choose among the values of a site; so two callees of one site
     * seldom have one place.
     */
    private static final int WAYS = (1 << LucceLayout.WAY_BITS) - 1;
    /**
     * Bits of a value that are the addition value; those above say for which version and callee it
     * holds.
     */
    static final long ADDITION = (1L << LucceLayout.ADDITION_BITS) - 1;
    /** Address of the pointer of bucket 0 of the link table. */
    private static final long BUCKETS = LucceHooks.linkBuckets();
    private static final int BUCKET_MASK = LucceHooks.bucketMask();
    /**
     * Address of the first of the shortcuts: pointers to link records that are found late in their
     * bucket.
     */
    private static final long SHORTCUTS = LucceHooks.shortcuts();
    private static final int SHORTCUT_MASK = LucceHooks.shortcutMask();
    /** Records of a bucket that are looked at before the shortcut. */
    private static final int NEAR = 2;
    /**
     * So many plain links of a thread found as records, less one, before the agent hears of them: a
     * power of two, less one. Counted in {@code $lucce$version}, which this encoder does not use.
     */
    private static final int OFTEN = (1 << 10) - 1;

    private LucceLinks() {}

    /** Initialises the class. */
    static void ready() {}

    /**
     * What tells callee {@code n} from the others that have the same place at a site; a constant
     * for the JIT.
     */
    @ForceInline
    static long tag(int n) {
        int tag = (n >>> LucceLayout.WAY_BITS) + 1;
        return tag < LucceLayout.TAGS ? tag : -1;
    }

    /**
     * Address of what is predicted for a call: a value, positive, which tells the callee's word if
     * it is the callee's; or the address of a link's record, with the sign bit; or 0.
     */
    @ForceInline
    static long place(int site, int n) {
        return VALUES + ((long) (n & WAYS) << LucceLayout.SITE_BITS) + ((long) site << 3);
    }

    /** Address of the first record of the links of (site, n). */
    @ForceInline
    private static long bucket(int site, int n) {
        return U.getLong(BUCKETS + ((long) (hash(site, n) & BUCKET_MASK) << 3));
    }

    /** The record of the link (site, n) at {@code ctx}, wherever it is; 0 if there is none. */
    @DontInline
    @Hidden
    static long record(int n, long ctx, int site) {
        long p = bucket(site, n);
        while (p != 0 && !holds(p, n, ctx, site)) p = U.getLong(p + LucceLayout.LINK_NEXT);
        return p;
    }

    /**
     * The record of the link (site, n) at {@code ctx}: {@code p}, if it is that one, or else from
     * the hash table; 0 if there is none.
     */
    @ForceInline
    static long found(Thread t, int n, long ctx, int site, long p) {
        if (p == 0 || !holds(p, n, ctx, site)) p = bucket(site, n);
        for (int near = NEAR; p != 0 && !holds(p, n, ctx, site); p = U.getLong(p + LucceLayout.LINK_NEXT)) {
            if (--near == 0) {
                p = late(t, n, ctx, site, p);
                break;
            }
        }
        if (p != 0 && isStrain(p, n) && (++t.$lucce$version & OFTEN) == 0) LucceHooks.foundOften(p, OFTEN + 1);
        return p;
    }

    /**
     * Would a new version spare the search for this record: is the link plain, or cut only until
     * then?
     */
    @ForceInline
    private static boolean isStrain(long p, int n) {
        return U.getInt(p + LucceLayout.LINK_CALLEE) == n || U.getInt(p + LucceLayout.LINK_KIND) == LucceLayout.CUT;
    }

    /**
     * The record of a link whose bucket goes on after {@code p}, or 0. Versions that have grown for
     * long have hundreds of links for one edge; a shortcut, chosen by the caller's word too, leads
     * to the one that was found before. Shortcuts are racy pointers to records that never go away
     * and are checked whole, so a stale one costs a search and nothing else.
     */
    @DontInline
    @Hidden
    private static long late(Thread t, int n, long ctx, int site, long p) {
        long slot = SHORTCUTS + ((long) (hash(hash(site, n), (int) (ctx ^ ctx >>> 32)) & SHORTCUT_MASK) << 3);
        long found = U.getLong(slot);
        if (found == 0 || !holds(found, n, ctx, site)) {
            found = p;
            do {
                found = U.getLong(found + LucceLayout.LINK_NEXT);
                if (found == 0) return 0;
            } while (!holds(found, n, ctx, site));
            U.putLongRelease(null, slot, found);
        }
        return found;
    }

    /** Is {@code p} the record of the link (site, n) at {@code ctx}? */
    @ForceInline
    private static boolean holds(long p, int n, long ctx, int site) {
        int callee = U.getInt(p + LucceLayout.LINK_CALLEE);
        return U.getInt(p + LucceLayout.LINK_SITE) == site && (callee == n || callee == ~n)
                && ctx - U.getLong(p + LucceLayout.LINK_LO) < U.getLong(p + LucceLayout.LINK_LEN);
    }

    @ForceInline
    static int hash(int a, int b) {
        int h = (a * LucceLayout.HASH_A) ^ (b * LucceLayout.HASH_B);
        return h ^ (h >>> 15);
    }
}
