package hooks;

import static hooks.HooksTest.*;

/** Counts by context. Run by {@link HooksTest}. */
final class TalliesTest {
    private TalliesTest() {}

    /** Count and bytes of the n-th record of tallies. */
    private static String sums(int n) {
        long p = World.RECORDS.get(n);
        return World.U.getLong(p + 24) + " " + World.U.getLong(p + 32);
    }

    static void an_allocation_is_counted_in_the_record_of_its_context() {
        Thread t = at(5, 6);
        for (int i = 0; i < 1_000; i++) {
            LucceTallies.allocated(String.class, t, 4_000, 31);
            LucceTallies.allocated(String.class, t, 4_002, 31);
            LucceTallies.entered(t, 4_000, 31);
        }
        same("[record 4000 31 31 0, record 4002 31 31 0, record 4000 31 -32 0]", World.CALLS.toString());
        for (int n = 0; n < 3; n++) same("1000 0", sums(n));
        same("5 6", t.$lucce$ctx + " " + t.$lucce$site);
    }

    static void arrays_are_counted_with_what_they_take() {
        Thread t = at(0, 0);
        for (int length = 0; length < 4; length++) LucceTallies.array(new int[length], t, 4_000, 32);
        int base = World.U.arrayBaseOffset(int[].class);
        same("[record 4000 32 32 0]", World.CALLS.toString());
        long bytes = 0;
        for (int length = 0; length < 4; length++) bytes += (base + 4 * length + 7) / 8 * 8;
        same("4 " + bytes, sums(0));
    }

    static void arrays_within_arrays_are_counted_by_class() {
        Thread t = at(0, 0);
        LucceTallies.arrays(new byte[3][5][], t, 4_000, 33);
        LucceTallies.arrays(new byte[3][0][7], t, 4_000, 33);
        long outer = (World.U.arrayBaseOffset(Object[].class) + 3 * World.U.arrayIndexScale(Object[].class) + 7) / 8 * 8;
        same(2, World.RECORDS.size());
        same("2 " + 2 * outer, sums(0));
        same('6', sums(1).charAt(0));
    }

    static void clones_are_counted_by_class() {
        Thread t = at(0, 0);
        for (int i = 0; i < 10; i++) {
            LucceTallies.cloned(new int[2], t, 4_000, 34);
            LucceTallies.cloned("", t, 4_000, 34);
        }
        same(2, World.RECORDS.size());
        same('1', sums(0).charAt(0));
        same("10 0", sums(1));
    }

    static void a_chained_word_is_counted_with_its_shadow_stack() {
        Thread t = at(7, 8);
        LucceShadowStack.push(t, 4_000, 35, 9, 4_001, true);
        t.$lucce$stack[t.$lucce$top - 1] = 77;
        for (int i = 0; i < 3; i++) LucceTallies.entered(t, 4_001, 36);
        t.$lucce$stack[t.$lucce$top - 1] = 78;
        LucceTallies.entered(t, 4_001, 36);
        same("3 0", sums(0));
        same("1 0", sums(1));
        exit(t, 0);
        LucceTallies.entered(t, 4_000, 36);
        same("1 0", sums(2));
        // What the exit left is as the next entry finds it.
        same("0 4000 35", t.$lucce$top + " " + t.$lucce$ctx + " " + t.$lucce$site);
    }

    static void a_task_of_a_measurement_is_counted_apart() {
        Thread t = at(5, 6);
        World.U.putInt(World.KEYS + 4 * 9, 9);
        for (int round = 0; round < 3; round++) {
            // The thread's own work, a task of the measurement, and a task that nobody asks for.
            for (int origin : new int[] {0, 9, 8}) {
                t.$lucce$origin = origin;
                LucceTallies.allocated(String.class, t, 4_000, 38);
                LucceTallies.array(new int[0], t, 4_002, 38);
            }
        }
        same("[record 4000 38 38 0, record 4002 38 38 0, record 4000 38 38 0, record 4002 38 38 0]", World.CALLS.toString());
        same("6 3", sums(0).split(" ")[0] + " " + sums(2).split(" ")[0]);
        same("6 3", sums(1).split(" ")[0] + " " + sums(3).split(" ")[0]);
    }

    /** More tasks than there are buckets, so some share one. */
    static void tasks_in_one_bucket_are_counted_apart() {
        Thread t = at(5, 6);
        int first = 40;
        int tasks = 2 * (World.MASK + 1);
        for (int round = 0; round < 2; round++) {
            for (int n = 0; n < tasks; n++) {
                World.U.putInt(World.KEYS + 4L * (first + n), first + n);
                t.$lucce$origin = first + n;
                LucceTallies.entered(t, 4_000, 39);
            }
        }
        for (int n = 0; n < tasks; n++) same("2 0", sums(n));
    }

    static void no_count_is_lost_between_threads() throws InterruptedException {
        java.lang.Thread[] threads = new java.lang.Thread[4];
        Thread first = at(0, 0);
        LucceTallies.entered(first, 4_000, 37);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new java.lang.Thread(() -> {
                Thread t = new Thread();
                for (int n = 0; n < 100_000; n++) LucceTallies.entered(t, 4_000, 37);
            });
            threads[i].start();
        }
        for (java.lang.Thread thread : threads) thread.join();
        same("400001 0", sums(0));
    }
}
