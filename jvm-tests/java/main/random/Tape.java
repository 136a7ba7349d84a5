package random;

/** The random numbers that a program is made of, and what is left of its length. One tape is read by one thread at a time. */
public final class Tape {
    private long state;
    private long digest = 17;
    private int left;
    private int depth;
    /** Locks held that another thread may want. */
    private int held;

    public Tape(long seed, int length) {
        state = seed * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L;
        left = length;
    }

    /** A number in [0, bound). */
    public int next(int bound) {
        long z = state += 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return (int) ((z ^ z >>> 31) >>> 33) % bound;
    }

    /** One chance in n. */
    public boolean one(int n) {
        return next(n) == 0;
    }

    /** Takes a step down; false when the program is at its end or too deep. */
    public boolean enter() {
        if (left <= 0 || depth >= 48) {
            return false;
        }
        left--;
        depth++;
        return true;
    }

    public int depth() {
        return depth;
    }

    /** Back to a depth read before: an exception may have skipped steps. */
    public void back(int to) {
        depth = to;
    }

    /** Adds 1 when a lock is taken, -1 when it is released. */
    public void hold(int change) {
        held += change;
    }

    /** A tape for another thread; null while that thread could wait for this one. */
    public Tape split(int length) {
        return held > 0 ? null : new Tape(next(1 << 30), Math.min(length, Math.max(left, 0)));
    }

    /** Adds what the program has seen to its result. */
    public int seen(Object what) {
        digest = digest * 31 + String.valueOf(what).hashCode();
        return (int) digest & 0xFFFF;
    }

    public long digest() {
        return digest;
    }
}
