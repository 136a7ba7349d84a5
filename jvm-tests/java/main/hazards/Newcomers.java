package hazards;

import org.lucce.Lucce;

/** Threads that ask for contexts in a row, without a loop, where the methods that they enter have been woken by others. */
public final class Newcomers {
    private static long sum;

    private Newcomers() {}

    static void ask() {
        sum += Lucce.active() ? Lucce.capture() : 1;
    }

    static void row() {
        ask();
        ask();
        ask();
        ask();
        ask();
        ask();
        ask();
        ask();
    }

    static void rows() {
        row();
        row();
        row();
        row();
        row();
        row();
        row();
        row();
        Check.here();
    }

    /** Argument: rounds, a thousand to a thread. */
    public static void main(String[] arguments) throws InterruptedException {
        for (int threads = Integer.parseInt(arguments[0]) / 1000; threads > 0; threads--) {
            Thread thread = new Thread(Newcomers::rows);
            thread.start();
            thread.join();
        }
        Check.equal(true, sum > 0);
        Check.done("Newcomers");
    }
}
