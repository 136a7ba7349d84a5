import java.util.stream.IntStream;

/** Woven by an aspect when it is loaded. */
public final class Woven {
    private Woven() {}

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int risky(int n) {
        if (n % 5 == 0) throw new IllegalStateException("five");
        return n;
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            try {
                sum += risky(i);
            } catch (IllegalStateException e) {
                sum--;
            }
        }
        System.out.println(fib(14) + " " + sum + " " + IntStream.range(0, 50).map(Woven::fibOfFew).sum());
        System.out.println(Watching.calls + " " + Watching.thrown);
    }

    static int fibOfFew(int n) {
        return fib(n % 6);
    }
}
