package hazards;

import java.lang.management.ManagementFactory;
import java.util.HashMap;

/** A recursion, to be changed by another agent behind Lucce; prints the CPU time that it has used, in nanoseconds. */
public final class Traced {
    static final HashMap<Integer, Integer> MAP = new HashMap<>();

    private Traced() {}

    static int work(int n) {
        MAP.merge(n, 1, Integer::sum);
        return n == 0 ? other() : work(n - 1) + n;
    }

    static int other() {
        return MAP.merge(77, 1, Integer::sum) & 1;
    }

    static long used() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    public static void main(String[] args) {
        long began = used();
        long sum = 0;
        for (int i = 0; i < 20_000; i++) sum += work(i % 30) + other();
        long ended = used();
        System.out.println("sum " + sum);
        System.out.println("used " + (ended - began));
    }
}
