package budgets;

/** What the tests hold to budgets. */
final class Handler {
    private static final boolean INJECTED = Boolean.getBoolean("injected");
    static volatile Object sink;
    private static Object cache;

    private Handler() {}

    /** Its initialiser makes something once in a JVM. */
    static final class Initialised {
        static final Object[] TABLE = new Object[7];

        static int length() {
            return TABLE.length;
        }
    }

    /** Makes three objects and an array; with the property {@code injected} one more. */
    static void handle(int number) {
        sink = new StringBuilder();
        sink = new int[number];
        codec(number);
        if (INJECTED) sink = new Object(); // injected here
    }

    static void codec(int number) {
        sink = new Object();
        sink = new long[] {number};
        query();
    }

    static int query() {
        return 7;
    }

    /** Makes its answer once. */
    static Object cached() {
        if (cache == null) cache = new Object();
        return cache;
    }

    /** Makes nothing. */
    static int sum(int[] numbers) {
        int sum = 0;
        for (int number : numbers) sum += number;
        return sum;
    }
}
