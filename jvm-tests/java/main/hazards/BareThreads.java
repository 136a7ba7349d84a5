package hazards;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Random;

/** Has the JDK's own threads sort, whose stacks have no frame of the program, until they have used some time. */
public final class BareThreads {
    static final long NANOS = 60_000_000;

    private BareThreads() {}

    /** CPU time of the workers that sort. */
    static long used() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Thread[] all = new Thread[Thread.activeCount() + 64];
        int count = Thread.enumerate(all);
        return Arrays.stream(all, 0, count).filter(t -> t.getName().contains("worker")).mapToLong(t -> Math.max(0, threads.getThreadCpuTime(t.getId()))).sum();
    }

    public static void main(String[] args) {
        int[] numbers = new Random(7).ints(2_000_000).toArray();
        long sum = 0;
        while (used() < NANOS) {
            int[] copy = numbers.clone();
            Arrays.parallelSort(copy);
            sum += copy[0];
        }
        System.out.println("BareThreads: " + (sum != 7));
    }
}
