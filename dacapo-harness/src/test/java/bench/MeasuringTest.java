package bench;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.atomic.AtomicBoolean;

/** How often a program is run, and what its processor time went into. Each method without parameters is a test; the first that fails ends the run. */
final class MeasuringTest {
    /** Does this JVM compile nothing (-Xint)? */
    private static final boolean INTERPRETED = Boolean.getBoolean("interpreted");

    public static void main(String[] args) throws Exception {
        int run = 0;
        for (Method test : MeasuringTest.class.getDeclaredMethods()) {
            if (test.isSynthetic() || !Modifier.isStatic(test.getModifiers()) || test.getParameterCount() != 0) continue;
            try {
                test.invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(test.getName(), e.getCause());
            }
            run++;
        }
        if (run != 7) throw new AssertionError(run + " tests found");
    }

    private static void same(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }

    /** Runs as long as the schedule goes on, at most so many times; how often that was. */
    private static int run(Schedule schedule, int most, double milliseconds, double compiling) {
        int ran = 0;
        while (ran < most && schedule.goesOn()) {
            schedule.took(milliseconds, compiling);
            ran++;
        }
        return ran;
    }

    static void a_number_is_so_many_iterations_whatever_they_take() {
        Schedule schedule = Schedule.of("7");
        same(7, run(schedule, 100, 5000, 5000));
        same(0, schedule.before());
        same(0, run(Schedule.of("0"), 100, 1, 0));
    }

    static void those_count_that_come_after_two_seconds_with_little_to_compile() {
        Schedule schedule = Schedule.of("settled:60");
        same(10, run(schedule, 10, 500, 200));
        // One of those before is still within the two seconds.
        same(3, run(schedule, 3, 500, 10));
        same(0, schedule.before());
        same(1, run(schedule, 1, 500, 10));
        same(14, schedule.before());
        // Five seconds of them, and what is compiled meanwhile does not matter.
        same(10, run(schedule, 100, 500, 400));
        same(14, schedule.before());
    }

    static void a_tenth_is_not_little() {
        Schedule schedule = Schedule.of("settled:60");
        run(schedule, 4, 500, 50);
        same(0, schedule.before());
        run(schedule, 1, 500, 49);
        same(5, schedule.before());
    }

    static void what_does_not_settle_counts_after_the_time_that_was_given() {
        Schedule schedule = Schedule.of("settled:6");
        same(11, run(schedule, 11, 500, 500));
        same(0, schedule.before());
        same(11, run(schedule, 100, 500, 500));
        same(12, schedule.before());
    }

    static void at_least_five_of_them_count() {
        Schedule schedule = Schedule.of("settled:60");
        same(1 + 5, run(schedule, 100, 3000, 0));
        same(1, schedule.before());
    }

    static void the_time_of_threads_that_compile_and_collect_is_told_apart() throws IOException {
        Shares before = Shares.now();
        double sum = 0;
        for (int round = 0; round < 3_000_000; round++) sum += Math.sqrt(round) * MeasuringTest.mixed(round);
        byte[][] kept = new byte[1000][];
        for (int i = 0; i < kept.length; i++) kept[i] = new byte[10_000];
        System.gc();
        Shares taken = Shares.now().since(before);
        if (sum == 0 || kept[999].length == 0) throw new AssertionError();
        same(!INTERPRETED, taken.compiling > 0);
        same(true, taken.collecting > 0);
    }

    /** A read of what is left of a thread that has just ended fails with ESRCH; Tomcat ends threads all the time, and waited for its main one then. */
    static void threads_that_end_meanwhile_are_passed_over() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread starter = new Thread(() -> {
            while (!over.get()) new Thread(() -> { }, "C1 for a moment").start();
        });
        starter.start();
        try {
            for (int look = 0; look < 500; look++) Shares.now();
        } finally {
            over.set(true);
            starter.join();
        }
    }

    private static int mixed(int n) {
        int mixed = n * 0x9E3779B1;
        return mixed ^ mixed >>> 15;
    }
}
