package hazards;

import org.lucce.Lucce;

/** A loop in {@code main} that asks for a context in each of so many rounds, or in none; the first and the last are compared with the stack. */
public final class Awakening {
    private static long sum;
    private static int[] kept;

    private Awakening() {}

    static int outer(int n, boolean asks) {
        return n % 2 == 0 ? even(n, asks) : odd(n, asks) + 1;
    }

    static int even(int n, boolean asks) {
        return ask(n, asks) + 2;
    }

    static int odd(int n, boolean asks) {
        return even(n, asks) + ask(n, asks);
    }

    static int ask(int n, boolean asks) {
        if (asks && Lucce.active()) {
            sum += Lucce.capture();
        }
        kept = new int[] {Math.abs(n)};
        return kept[0];
    }

    static void compared(int n) {
        if (n % 2 == 0) {
            Check.here();
        } else {
            compared(n - 1);
        }
    }

    /** Arguments: rounds, and whether contexts are asked for in them. */
    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        boolean asks = Boolean.parseBoolean(arguments[1]);
        long calls = 0;
        for (int n = 0; n < rounds; n++) {
            calls += outer(n, asks);
            if (asks && (n < 3 || n > rounds - 3)) {
                compared(n);
            }
        }
        System.out.println(calls + " " + (!asks || !Lucce.active() || sum > 0));
        if (asks) {
            Check.done("Awakening");
        }
    }
}
