package hazards;

/** fib with two call sites: every path of calls is a distinct context. */
public final class Fib {
    private Fib() {}

    static int fib(int n) {
        // Never so; but a method that calls nothing but itself would have no hooks.
        if (n < 0) {
            Check.here();
        }
        if (n < 2) {
            return n;
        }
        return fib(n - 1) + fib(n - 2);
    }

    static int checked(int n) {
        Check.here();
        return n < 2 ? n : checked(n - 1) + checked(n - 2);
    }

    public static void main(String[] args) {
        System.out.println(fib(17));
        System.out.println(checked(10));
        System.out.println(fib(17));
        Check.done("Fib");
    }
}
