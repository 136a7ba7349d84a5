package hazards;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Random;

/**
 * Uses CPU time in phases, each with its own method, and prints what each has used by the thread's own clock: {@code <method> <ns>}.
 * Behind each phase a method is entered that does nothing.
 */
public final class Burning {
    static volatile long sink;
    static final int[] NUMBERS = new Random(7).ints(200_000).toArray();

    private Burning() {}

    interface Phase {
        void turn();
    }

    /** Calls nothing, so it has no hooks. */
    static void leaf() {
        long sum = sink;
        for (int i = 0; i < 2_000_000; i++) sum += sum * i ^ i;
        sink = sum;
    }

    static long step(long n) {
        return n == 0 ? sink : step(n - 1) + n;
    }

    static void calls() {
        long sum = 0;
        for (int i = 0; i < 20_000; i++) sum += step(20);
        sink = sum;
    }

    /** In code of the JDK's. */
    static void sorts() {
        int[] copy = NUMBERS.clone();
        Arrays.sort(copy);
        sink = copy[copy.length / 2];
    }

    static long leaves() {
        return run(() -> leaf(), 400_000_000);
    }

    static long recursions() {
        return run(() -> calls(), 300_000_000);
    }

    static long sortings() {
        return run(() -> sorts(), 200_000_000);
    }

    static void innocent() {
        other();
    }

    static void other() {
        sink++;
        if (sink == 7) System.out.println();
    }

    static long run(Phase phase, long nanos) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime(), used;
        do {
            phase.turn();
            used = threads.getCurrentThreadCpuTime() - start;
        } while (used < nanos);
        return used;
    }

    public static void main(String[] args) {
        ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long[] used = new long[3];
        for (int i = 0; i < 2; i++) {
            used[0] += leaves();
            innocent();
            used[1] += recursions();
            innocent();
            used[2] += sortings();
            innocent();
        }
        System.out.println("leaves " + used[0] + "\nrecursions " + used[1] + "\nsortings " + used[2]);
    }
}
