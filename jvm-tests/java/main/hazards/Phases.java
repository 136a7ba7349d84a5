package hazards;

/** Two phases: first many contexts, none of them often; then few, one of them most of the time. */
public final class Phases {
    private Phases() {}

    /** A leaf, so that each call of it is one entry. */
    static int leaf(int n) {
        return n * 31 ^ n >>> 7;
    }

    static int many(int depth, int n) {
        return depth == 0 ? leaf(n) : (n & 1) == 0 ? many(depth - 1, n >> 1) : many(depth - 1, n >> 1) + 1;
    }

    static int hot(int n) {
        return leaf(n) + 1;
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 4_000; i++) sum += many(i % 9, i);
        for (int i = 0; i < 60_000; i++) sum += hot(i);
        System.out.println("sum " + sum);
    }
}
