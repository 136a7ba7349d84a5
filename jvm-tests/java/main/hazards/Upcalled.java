package hazards;

import java.util.function.IntConsumer;

/** A native agent calls methods of this class at each allocation: between any two calls of the program's, and in the hooks. */
public class Upcalled {
    private static volatile int sum;
    private static volatile int calls;
    private static final IntConsumer ADDED = n -> sum += n;
    private static volatile Object kept;

    public Upcalled(
            int a, long b, double c, float d, int e, long f, int g, long h,
            double i, double j, double k, double l, double m, double n, int o, float p) {
        depth(1);
    }

    public static void main(String[] arguments) {
        System.load(arguments[0]);
        begin();
        for (int n = 0; n < 600; n++) {
            allocates(n % 6);
            deep(n % 60);
        }
        System.out.println(calls > 900 ? "called" : "called " + calls);
    }

    private static native void begin();

    /** What was published last where it allocates is a place that calls what the agent calls, too. */
    private static void allocates(int n) {
        int depth = depth(n);
        kept = new int[depth + 4000];
        depth(1);
    }

    /** Shadow stacks grow, in the midst of a push. */
    private static int deep(int n) {
        return n <= 0 ? depth(1) : deep(n - 1);
    }

    static int depth(int n) {
        ADDED.accept(n);
        return n == 0 ? 0 : 1 + depth(n - 1);
    }

    static double byClass(
            int a, long b, double c, float d, int e, long f, int g, long h,
            double i, double j, double k, double l, double m, double n, int o, float p) {
        calls++;
        depth(2);
        return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h
                + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
    }

    double byObject(
            int a, long b, double c, float d, int e, long f, int g, long h,
            double i, double j, double k, double l, double m, double n, int o, float p) {
        return byClass(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    }
}
