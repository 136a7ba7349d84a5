package bench;

import java.util.ArrayDeque;

/**
 * How often a program is run: some times, or until the JIT has little left to do and then for a while.
 *
 * <p>{@code <number>}: so many iterations. {@code settled:<seconds>}: iterations until, over the last {@value #WINDOW} ms of them, threads
 * that compile have taken less than a tenth of that time, or until all together have taken so many seconds; then those that count, for
 * {@value #COUNTED} ms and at least {@value #FEWEST} of them.
 */
final class Schedule {
    private static final double WINDOW = 2000, COUNTED = 5000, SMALL = 0.1;
    private static final int FEWEST = 5;

    private final int iterations;
    private final double limit;
    /** The last iterations, {milliseconds, of them compiling} each, and their sums. */
    private final ArrayDeque<double[]> window = new ArrayDeque<>();
    private double inWindow, compilingInWindow;
    private int ran;
    private double total;
    /** Iterations before those that count; 0: as long as it has not settled. */
    private int before;
    private double counted;

    private Schedule(int iterations, double limit) {
        this.iterations = iterations;
        this.limit = limit;
    }

    static Schedule of(String text) {
        String settled = "settled:";
        if (!text.startsWith(settled)) return new Schedule(Integer.parseInt(text), 0);
        return new Schedule(0, Integer.parseInt(text.substring(settled.length())) * 1e3);
    }

    boolean goesOn() {
        if (limit == 0) return ran < iterations;
        return before == 0 || counted < COUNTED || ran - before < FEWEST;
    }

    /** An iteration took so many milliseconds, and the threads that compile so many of processor time meanwhile. */
    void took(double milliseconds, double compiling) {
        ran++;
        if (limit == 0) return;
        if (before > 0) {
            counted += milliseconds;
            return;
        }
        total += milliseconds;
        window.add(new double[] {milliseconds, compiling});
        inWindow += milliseconds;
        compilingInWindow += compiling;
        while (inWindow - window.peek()[0] >= WINDOW) {
            double[] oldest = window.remove();
            inWindow -= oldest[0];
            compilingInWindow -= oldest[1];
        }
        boolean settled = inWindow >= WINDOW && compilingInWindow < SMALL * inWindow;
        if (settled || total >= limit) before = ran;
    }

    /** Iterations before those that count; 0 where all are of one kind. */
    int before() {
        return before;
    }
}
