package hazards;

import hazards.plain.Unit;

/** What {@link Unloading} defines as a hidden class again and again. */
public class Masked implements Unit {
    @Override
    public long work(int depth) {
        return leaf(depth) + Unloading.between(depth + 1);
    }

    private long leaf(int n) {
        return Unloading.between(n);
    }
}
