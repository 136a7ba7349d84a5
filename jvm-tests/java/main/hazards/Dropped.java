package hazards;

import hazards.plain.Unit;

/** The class that {@link Unloading} defines again and again, under a new name each time. */
public class Dropped implements Unit {
    private final long[] kept = new long[1];

    @Override
    public long work(int depth) {
        try {
            return depth == 0 ? leaf(7) : recurse(depth);
        } catch (IllegalStateException e) {
            return leaf(depth) + e.getMessage().length();
        }
    }

    private long recurse(int depth) {
        if (depth == 2) throw new IllegalStateException("two");
        return depth <= 0 ? leaf(1) + Unloading.stay(this::leaf, depth) : recurse(depth - 1) + Unloading.between(depth);
    }

    private long leaf(int n) {
        kept[0] = Unloading.keep(n);
        return n + Helper.twice(n);
    }

    /** A nested class of the same loader. */
    static class Helper {
        static long twice(int n) {
            return Unloading.between(n) * 2;
        }
    }
}
