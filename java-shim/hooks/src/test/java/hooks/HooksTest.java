package hooks;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The hooks against the tables of {@link World}. Each static method without parameters, here and in
 * the other classes, is a test; the first that fails ends the run.
 */
final class HooksTest {
    static final long RESTORING = 1L << 63;
    static final long CHAINED = 1;
    /** The least word of the first version. */
    static final long V = 1L << 55;
    private static final boolean VERIFY = Boolean.getBoolean("verify");
    private static final Class<?>[] ALL = {HooksTest.class, CapturesTest.class, OverflowTest.class, ProfileTest.class, TalliesTest.class};

    public static void main(String[] args) throws Exception {
        int run = 0;
        for (Method test : tests()) {
            if (test.isSynthetic() || !Modifier.isStatic(test.getModifiers()) || test.getParameterCount() != 0) continue;
            World.CALLS.clear();
            World.SAMPLES.clear();
            World.RECORDS.clear();
            World.current = null;
            World.U.setMemory(World.ACTIVE, 8 * World.SITE_COUNT, (byte) 0);
            try {
                test.invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(test.getName(), e.getCause());
            }
            run++;
        }
        if (run < 39) throw new AssertionError("only " + run + " tests found");
    }

    private static List<Method> tests() {
        List<Method> tests = new ArrayList<>();
        for (Class<?> of : ALL) tests.addAll(Arrays.asList(of.getDeclaredMethods()));
        return tests;
    }

    static Thread at(long ctx, int site) {
        Thread t = new Thread();
        LucceHooks.publish(t, ctx, site);
        return t;
    }

    static void same(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }

    /** What the emitted code does at the exit of a frame that restores. */
    static void exit(Thread t, int slot) {
        t.$lucce$top = slot;
        t.$lucce$site = -1;
    }

    static void a_value_moves_each_word_of_the_callers_block_and_no_other() {
        World.predict(5, 9, 3, 20);
        for (long nth : new long[] {0, 1, 1 << 20, (1L << 36) - 21}) {
            same(World.word(3, nth + 20, false), LucceHooks.enter(at(World.word(3, nth, false), 5), 9));
            same(World.word(3, nth + 20, false) | CHAINED, LucceHooks.enter(at(World.word(3, nth, false) | CHAINED, 5), 9));
        }
        // The largest that an addition value can be.
        World.predict(35, 9, 3, (1L << 36) - 1);
        same(World.word(3, (1L << 36) - 1, false), LucceHooks.enter(at(World.word(3, 0, false), 35), 9));
        same(0, World.CALLS.size());
        long[] others = {0, 2, World.word(2, 0, false), World.word(3, 0, true), World.word(3, 1 << 20, true), World.word(255, 1, false)};
        for (long ctx : others) same(777L, LucceHooks.enter(at(ctx, 5), 9));
        same(others.length, World.CALLS.size());
    }

    static void a_value_for_another_callee_or_none_does_not_count() {
        long ctx = World.word(3, 10, false);
        World.predict(6, 9, 3, 30);
        // The same place of the site.
        World.predict(6, 17, 3, 38);
        same(777L, LucceHooks.enter(at(ctx, 6), 9));
        same("[enterSlow 9 " + ctx + " 6 0]", World.CALLS.toString());
        for (int site : new int[] {7, 0}) same(777L, LucceHooks.enter(at(ctx, site), 9));
        // A tag that this callee's would be if it were cut to its bits.
        same(777L, LucceHooks.enter(at(ctx, 6), 17 + (1 << 19)));
        same(World.word(3, 48, false), LucceHooks.enter(at(ctx, 6), 17));
    }

    static void a_record_that_is_predicted_is_found_without_the_hash_table() {
        World.point(33, 9, World.record(33, 9, V + 100, 10, 1_000, 0));
        same(V + 1_100, LucceHooks.enter(at(V + 100, 33), 9));
        same(V + 1_109, LucceHooks.enter(at(V + 109, 33), 9));
        same(0, World.CALLS.size());
        for (long ctx : new long[] {V + 99, V + 110, -1}) same(777L, LucceHooks.enter(at(ctx, 33), 9));
        same(777L, LucceHooks.enter(at(V + 100, 33), 17));
        String slow = "[enterSlow 9 " + (V + 99) + " 33 0, enterSlow 9 " + (V + 110) + " 33 0, enterSlow 9 -1 33 0, enterSlow 17 " + (V + 100) + " 33 0]";
        same(slow, World.CALLS.toString());
    }

    static void other_links_are_found_in_the_hash_table() {
        for (int n = 10; n < 60; n++) World.publish(8, n, World.record(8, n, V, 10, n * 100L, 0));
        for (int n = 10; n < 60; n++) same(V + n * 100L + 3, LucceHooks.enter(at(V + 3, 8), n));
        same(0, World.CALLS.size());
    }

    static void a_late_link_leaves_a_shortcut_that_is_checked_like_any_other() {
        for (int i = 0; i < 40; i++) World.publish(31, 7, World.record(31, 7, V + 10 * i, 10, 1_000 * i, 0));
        for (int round = 0; round < 3; round++) {
            for (int ctx = 1; ctx < 400; ctx++) same(V + ctx / 10 * 1_000L + ctx, LucceHooks.enter(at(V + ctx, 31), 7));
        }
        same(777L, LucceHooks.enter(at(V + 400, 31), 7));
        same(1, World.CALLS.size());
    }

    static void a_plain_record_that_is_found_often_is_told_to_the_agent() {
        World.publish(32, 7, World.record(32, 7, V, 10, 5_000, 0));
        World.publish(34, 7, World.record(34, 7, V, 10, 5_000, 1));
        Thread t = new Thread();
        for (int i = 0; i < (1 << 11) - 1; i++) {
            LucceHooks.publish(t, V + i % 9 + 1, 32);
            same(V + i % 9 + 5_001, LucceHooks.enter(t, 7));
            // One that pushes does not count: a new version would not change it.
            LucceHooks.publish(t, V + i % 9 + 1, 34);
            LucceHooks.enter(t, 7);
            t.$lucce$top = 0;
        }
        same("[foundOften 5000 1024]", World.CALLS.toString());
    }

    static void a_restoring_link_pushes_and_the_exit_resumes_the_caller() {
        World.publish(10, 4, World.record(10, 4, V + 20, 1, 5, 1));
        Thread t = at(V + 20, 10);
        long word = LucceHooks.enter(t, 4);
        same(RESTORING | V + 25, word);
        same(0, t.$lucce$slot);
        same(4, t.$lucce$top);
        same(0, t.$lucce$site);
        same("[" + (V + 20) + ", " + (4L << 32 | 10) + ", " + (V + 25) + ", 0]", java.util.Arrays.toString(java.util.Arrays.copyOf(t.$lucce$stack, 4)));
        exit(t, 0);
        same(word, LucceHooks.enter(t, 4));
        same(0, World.CALLS.size());
        exit(t, 0);
        LucceShadowStack.resolveResume(t);
        same(V + 20 + " 10 0", t.$lucce$ctx + " " + t.$lucce$site + " " + t.$lucce$top);
    }

    static void a_cut_link_gives_its_word_and_marks_its_entry() {
        long cut = CHAINED | 6;
        World.publish(11, 4, World.record(11, 4, V, 1_000, cut, 2));
        Thread t = at(V + 555, 11);
        same(RESTORING | cut, LucceHooks.enter(t, 4));
        same(cut, t.$lucce$stack[2]);
        same(Long.MIN_VALUE | 4L << 32 | 11, t.$lucce$stack[1]);
        same(V + 555, t.$lucce$stack[0]);
    }

    static void a_cut_link_that_always_holds_is_told_by_its_site_and_callee_alone() {
        long cut = CHAINED | 8;
        World.pointAlways(15, 4, World.record(15, 4, 0, 0, cut, 2));
        for (long ctx : new long[] {V, V + 555, Long.MAX_VALUE}) {
            Thread t = at(ctx, 15);
            same(RESTORING | cut, LucceHooks.enter(t, 4));
            same(ctx, t.$lucce$stack[0]);
            same(Long.MIN_VALUE | 4L << 32 | 15, t.$lucce$stack[1]);
        }
        same(0, World.CALLS.size());
        // Another callee of the site with equal low bits finds the same value.
        same(777L, LucceHooks.enter(at(V + 555, 15), 12));
        same(1, World.CALLS.size());
    }

    static void a_constructor_takes_the_word_and_pushes_nothing() {
        World.publish(12, 4, World.record(12, 4, V, 10, 40, 3));
        Thread t = at(V + 2, 12);
        same(RESTORING | V + 42, LucceHooks.enter(t, 4));
        same(0, t.$lucce$top);
    }

    static void a_deep_shadow_stack_keeps_every_entry() {
        World.publish(13, 4, World.record(13, 4, V, 1_000_000, 0, 1));
        Thread t = at(0, 13);
        for (int depth = 1; depth <= 10_000; depth++) {
            LucceHooks.publish(t, V + depth, 13);
            same(RESTORING | V + depth, LucceHooks.enter(t, 4));
            same((depth - 1) * 4, t.$lucce$slot);
        }
        for (int depth = 1; depth <= 10_000; depth++) same(V + depth, t.$lucce$stack[(depth - 1) * 4]);
    }

    /**
     * Gives the thread a full shadow stack that takes so much of the heap that no larger one can be made;
     * its length.
     */
    private static int fill(Thread t) {
        t.$lucce$stack = new long[1 << 24];
        return t.$lucce$top = t.$lucce$stack.length;
    }

    static void without_memory_the_word_is_lost_and_the_exit_clears_the_site() {
        World.publish(14, 4, World.record(14, 4, V, 10, 0, 1));
        Thread t = at(V + 1, 14);
        int length = fill(t);
        long lost = LucceHooks.enter(t, 4);
        same(RESTORING | 1, lost);
        same(length, t.$lucce$top);
        same(0, t.$lucce$site);
        exit(t, t.$lucce$slot);
        same(777L, LucceHooks.enter(t, 4));
        same("[enterSlow 4 " + (V + 1) + " 0 " + length + "]", World.CALLS.toString());

        // The frame's caller is instrumented and publishes over what it left.
        exit(t, length | 1 << 30);
        LucceHooks.publish(t, V + 2, 14);
        t.$lucce$stack = new long[length + 4];
        same(RESTORING | V + 2, LucceHooks.enter(t, 4));
        same(length, t.$lucce$slot);
        same(length + 4, t.$lucce$top);
    }

    static void an_untrusted_entry_walks() {
        same(778L, LucceHooks.enterUntrusted(at(1, 15), 4));
        same("[enterWalk 4]", World.CALLS.toString());
    }

    private static String state(Thread t) {
        return t.$lucce$ctx + " " + t.$lucce$site + " " + t.$lucce$top;
    }

    /** Hooks are enabled in the thread from now on. */
    static void enable(Thread t) {
        t.$lucce$hooksEnabled = 1;
        t.$lucce$sampled = -1;
    }

    /** A thread, the running one, in which method 4 may be inactive and is not. */
    private static Thread enabled(long ctx, int site) {
        World.U.putByte(World.ACTIVE + 4, (byte) 1);
        Thread t = World.current = at(ctx, site);
        enable(t);
        return t;
    }

    static void what_is_inactive_has_no_word_and_changes_nothing() {
        World.publish(10, 4, World.record(10, 4, 0, 30, 1_000, 0));
        Thread t = World.current = at(20, 10);
        same(0L, LucceLazyEntry.enter(t, 4) | LucceLazyEntry.enterUntrusted(t, 4) | LucceLazyEntry.pollBackEdge(t, 4));
        // As long as the thread's hooks are not enabled it does not even look.
        World.U.putByte(World.ACTIVE + 4, (byte) 1);
        same(0L, LucceLazyEntry.enter(t, 4));
        World.U.putByte(World.ACTIVE + 4, (byte) 0);
        enable(t);
        same(0L, LucceLazyEntry.enter(t, 4) | LucceLazyEntry.enterUntrusted(t, 4) | LucceLazyEntry.pollBackEdge(t, 4));
        same("20 10 0", state(t));
        same(0, World.CALLS.size());
    }

    static void what_is_active_is_entered_like_any_other() {
        World.publish(40, 4, World.record(40, 4, V, 10, 1_000, 0));
        Thread t = enabled(V + 3, 40);
        same(V + 1_003, LucceLazyEntry.enter(t, 4));
        World.publish(42, 4, World.record(42, 4, V + 20, 1, 5, 1));
        LucceHooks.publish(t, V + 20, 42);
        same(RESTORING | V + 25, LucceLazyEntry.enter(t, 4));
        same(0, World.CALLS.size());
        same(778L, LucceLazyEntry.enterUntrusted(t, 4));
        same(778L, LucceLazyEntry.pollBackEdge(t, 4));
        same("[enterWalk 4, enterWalk 4]", World.CALLS.toString());
    }

    static void who_sleeps_or_is_lost_is_nobodys_caller() {
        // Such a link holds for every word of a caller, but there is none.
        World.pointAlways(50, 4, World.record(50, 4, 0, 0, CHAINED | 8, 2));
        // Nor is it found as a record.
        World.publish(51, 4, World.record(51, 4, 0, -1, CHAINED | 8, 2));
        for (long ctx = 0; ctx < 10; ctx++) {
            World.CALLS.clear();
            same(777L, LucceHooks.enter(at(ctx, 50), 4));
            same(777L, LucceHooks.enter(at(ctx, 51), 4));
            same("[enterSlow 4 " + ctx + " 50 0, enterSlow 4 " + ctx + " 51 0]", World.CALLS.toString());
        }
        same(RESTORING | CHAINED | 8, LucceHooks.enter(at(V, 51), 4));
    }

    static void an_entry_stands_whatever_its_check_throws() {
        World.publish(52, 4, World.record(52, 4, V, 10, 0, 1));
        World.pointAlways(53, 4, World.record(53, 4, 0, 0, V | CHAINED, 2));
        try {
            for (Error error : new Error[] {new StackOverflowError(), new OutOfMemoryError(), new InternalError()}) {
                World.failure = error;
                for (int site : new int[] {52, 53}) {
                    Thread t = at(V + 1, site);
                    if (LucceHooks.enter(t, 4) >= 0) throw new AssertionError("not restoring");
                    same(V + 1 + " 0 4", state(t));
                }
                same(778L, LucceHooks.enterUntrusted(at(V + 1, 52), 4));
            }
        } finally {
            World.failure = null;
        }
    }

    static void uses_are_checked_at_first_and_at_powers_of_two() {
        World.publish(22, 9, World.record(22, 9, V, 10, 1, 0));
        World.checks = 0;
        Thread t = at(V + 1, 22);
        for (int use = 0; use < 900; use++) LucceHooks.enter(t, 9);
        long due = 16 + 5;
        long found = World.checks;
        if (!VERIFY) same(0L, found);
        else if (found < due || found > due + 900 / World.verifyInterval() + 1) throw new AssertionError("checked " + found + " of 900 uses");
        for (int use = 0; use < 2_000; use++) LucceHooks.enter(t, 9);
        if (VERIFY && World.checks < found + 2_000 / World.verifyInterval()) throw new AssertionError("no check by interval");
    }
}
