package hazards;

/** Self and mutual recursion to depth 100 000, on a thread with a stack that holds it. */
public final class DeepRecursion {
    static final int DEPTH = 100_000;

    private DeepRecursion() {}

    static int self(int n) {
        if (n == 0) {
            Check.here();
            return 0;
        }
        return 1 + self(n - 1);
    }

    static int ping(int n) {
        if (n == 0) {
            Check.here();
            return 0;
        }
        return 1 + pong(n - 1);
    }

    static int pong(int n) {
        return n == 0 ? 0 : 1 + ping(n - 1);
    }

    static int thrower(int n) {
        if (n == 0) {
            throw new IllegalStateException("bottom");
        }
        return 1 + thrower(n - 1);
    }

    static void run() {
        Check.equal(DEPTH, self(DEPTH));
        Check.equal(DEPTH, ping(DEPTH));
        try {
            thrower(DEPTH / 5);
            Check.fail("no exception");
        } catch (IllegalStateException e) {
            Check.here();
        }
        Check.equal(DEPTH / 5, self(DEPTH / 5));
        Check.here();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread deep = new Thread(null, DeepRecursion::run, "deep", 1L << 29);
        deep.start();
        deep.join();
        Check.done("DeepRecursion");
    }
}
