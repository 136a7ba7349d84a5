package hazards;

/**
 * Counts the activations of its own methods: static and virtual ones, a constructor, recursion at two sites, and those that end by an exception.
 * Each method counts before it calls, and all have calls, so that none goes without hooks.
 */
public final class Activations {
    /** The first is that of the initialiser, which calls a constructor. */
    private static long entered = 1;
    private static int sink;

    private interface Work {
        int run(int n);
    }

    /** Has no call, so no hooks. */
    private static final class Leaf implements Work {
        @Override
        public int run(int n) {
            return n;
        }
    }

    private static final Work LEAF = new Leaf();

    private final Work work;

    private Activations(Work work) {
        entered++;
        this.work = work;
        sink += work.run(1);
    }

    int virtual(int n) {
        entered++;
        return work.run(n) + 1;
    }

    static int fib(int n) {
        entered++;
        int value = LEAF.run(n);
        return n < 2 ? value : fib(n - 1) + fib(n - 2);
    }

    static int fails(int n) {
        entered++;
        if (LEAF.run(n) == 0) throw new IllegalStateException();
        return fails(n - 1);
    }

    public static void main(String[] args) {
        entered++;
        for (int i = 0; i < 20; i++) sink += new Activations(LEAF).virtual(i);
        sink += fib(8);
        try {
            sink += fails(5);
        } catch (IllegalStateException expected) {
            sink++;
        }
        System.out.println(entered);
    }
}
