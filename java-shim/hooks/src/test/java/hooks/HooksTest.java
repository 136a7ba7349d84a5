package hooks;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** The hooks against the tables of {@link World}. Each method without parameters is a test; the first that fails ends the run. */
final class HooksTest {
    private static final long RESTORING = 1L << 63;
    private static final long CHAINED = 1;
    /** The least word of the first version. */
    private static final long V = 1L << 55;
    /** Is each third entry sampled? */
    private static final boolean SAMPLED = Integer.getInteger("profile", 0) == 3;
    /** Is there a tick, and does an odd one begin a burst? */
    private static final boolean TICKS = Boolean.getBoolean("ticks");
    private static final boolean BURSTS = Boolean.getBoolean("bursts");
    private static final boolean VERIFY = Boolean.getBoolean("verify");

    public static void main(String[] args) throws Exception {
        int run = 0;
        for (Method test : HooksTest.class.getDeclaredMethods()) {
            if (test.isSynthetic() || !Modifier.isStatic(test.getModifiers()) || test.getParameterCount() != 0) continue;
            World.CALLS.clear();
            World.SAMPLES.clear();
            World.RECORDS.clear();
            World.current = null;
            World.U.setMemory(World.AWAKE, 8 * World.SITE_COUNT, (byte) 0);
            try {
                test.invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(test.getName(), e.getCause());
            }
            run++;
        }
        if (run < 12) throw new AssertionError("only " + run + " tests found");
    }

    private static Thread at(long ctx, int site) {
        Thread t = new Thread();
        LucceHooks.publish(t, ctx, site);
        return t;
    }

    private static void same(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }

    /** What the emitted code does at the exit of a frame that restores. */
    private static void exit(Thread t, int slot) {
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
        LucceChain.settle(t);
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

    static void a_deep_chain_keeps_every_entry() {
        World.publish(13, 4, World.record(13, 4, V, 1_000_000, 0, 1));
        Thread t = at(0, 13);
        for (int depth = 1; depth <= 10_000; depth++) {
            LucceHooks.publish(t, V + depth, 13);
            same(RESTORING | V + depth, LucceHooks.enter(t, 4));
            same((depth - 1) * 4, t.$lucce$slot);
        }
        for (int depth = 1; depth <= 10_000; depth++) same(V + depth, t.$lucce$stack[(depth - 1) * 4]);
    }

    /** Gives the thread a full chain that takes so much of the heap that no larger one can be made; its length. */
    private static int fill(Thread t) {
        t.$lucce$stack = new long[1 << 24];
        return t.$lucce$top = t.$lucce$stack.length;
    }

    static void without_memory_the_word_is_lost_and_the_exit_forgets() {
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

    /** A thread, the running one, in which method 4 may sleep and does not. */
    private static Thread awake(long ctx, int site) {
        World.U.putByte(World.AWAKE + 4, (byte) 1);
        Thread t = World.current = at(ctx, site);
        t.$lucce$roused = 1;
        return t;
    }

    static void what_sleeps_has_no_word_and_changes_nothing() {
        World.publish(10, 4, World.record(10, 4, 0, 30, 1_000, 0));
        Thread t = World.current = at(20, 10);
        same(0L, LucceAwake.enter(t, 4) | LucceAwake.enterUntrusted(t, 4) | LucceAwake.beginRound(t, 4));
        // As long as the thread is not roused it does not even look.
        World.U.putByte(World.AWAKE + 4, (byte) 1);
        same(0L, LucceAwake.enter(t, 4));
        World.U.putByte(World.AWAKE + 4, (byte) 0);
        t.$lucce$roused = 1;
        same(0L, LucceAwake.enter(t, 4) | LucceAwake.enterUntrusted(t, 4) | LucceAwake.beginRound(t, 4));
        same("20 10 0", state(t));
        same(0, World.CALLS.size());
    }

    static void what_is_awake_is_entered_like_any_other() {
        World.publish(40, 4, World.record(40, 4, V, 10, 1_000, 0));
        Thread t = awake(V + 3, 40);
        same(V + 1_003, LucceAwake.enter(t, 4));
        World.publish(42, 4, World.record(42, 4, V + 20, 1, 5, 1));
        LucceHooks.publish(t, V + 20, 42);
        same(RESTORING | V + 25, LucceAwake.enter(t, 4));
        same(0, World.CALLS.size());
        same(778L, LucceAwake.enterUntrusted(t, 4));
        same(778L, LucceAwake.beginRound(t, 4));
        same("[enterWalk 4, enterWalk 4]", World.CALLS.toString());
    }

    static void each_third_entry_of_a_thread_is_sampled_and_what_is_sampled_is_what_it_was_given() {
        World.publish(52, 4, World.record(52, 4, V, 10, 1_000, 0));
        World.publish(53, 4, World.record(53, 4, V + 20, 1, 5, 1));
        Thread t = new Thread();
        for (int i = 0; i < 7; i++) {
            LucceHooks.publish(t, V + i, 52);
            same(V + 1_000 + i, LucceHooks.enter(t, 4));
        }
        LucceHooks.enterUntrusted(t, 4);
        LucceHooks.publish(t, V + 20, 53);
        long word = LucceHooks.enter(t, 4);
        same(RESTORING | V + 25, word);
        same("0 4 0", t.$lucce$slot + " " + t.$lucce$top + " " + t.$lucce$site);
        // The first says that the thread begins. What has pushed is sampled behind its push.
        String samples = "[4 " + (V + 1_000) + " 1 0, 4 " + (V + 1_002) + " 0 0, 4 " + (V + 1_005) + " 0 0, 4 " + word + " 0 4]";
        same(SAMPLED ? samples : "[]", World.SAMPLES.toString());
    }

    static void the_first_entry_behind_a_tick_is_sampled_whether_the_method_sleeps_or_not() {
        World.publish(55, 4, World.record(55, 4, V, 10, 1_000, 0));
        Thread t = new Thread();
        for (int tick = 1; tick < 4; tick++) {
            World.U.putInt(World.TICKS, tick);
            for (int i = 0; i < 3; i++) {
                LucceHooks.publish(t, V + i, 55);
                same(tick == 3 ? 0L : V + 1_000 + i, tick == 3 ? LucceAwake.enter(t, 4) : LucceHooks.enter(t, 4));
            }
        }
        World.U.putInt(World.TICKS, 0);
        String samples = "[4 " + (V + 1_000) + " 1 0, 4 " + (V + 1_000) + " 0 0, 4 0 0 0]";
        String all = "4 " + (V + 1_000) + " 0 0, 4 " + (V + 1_001) + " 0 0, 4 " + (V + 1_002) + " 0 0";
        if (BURSTS) samples = "[" + all + ", 4 0 0 0, 4 0 0 0, 4 0 0 0]";
        if (!SAMPLED) same(TICKS ? samples : "[]", World.SAMPLES.toString());
    }

    static void an_entry_has_its_turn_where_words_are_hashed_too() {
        Thread t = new Thread();
        for (int i = 0; i < 6; i++) {
            World.U.putInt(World.TICKS, 1 + i / 2);
            LucceHooks.enteredHashed(t, 4, 100 + i);
        }
        World.U.putInt(World.TICKS, 0);
        String samples = SAMPLED ? "[4 100 1 0, 4 102 0 0, 4 105 0 0]" : "[4 100 1 0, 4 102 0 0, 4 104 0 0]";
        if (BURSTS) samples = "[4 100 0 0, 4 101 0 0, 4 104 0 0, 4 105 0 0]";
        same(SAMPLED || TICKS ? samples : "[]", World.SAMPLES.toString());
    }

    static void an_entry_stands_whatever_its_sample_throws() {
        World.publish(54, 4, World.record(54, 4, V + 20, 1, 5, 1));
        for (Error error : new Error[] {new StackOverflowError(), new OutOfMemoryError()}) {
            Thread t = at(V + 20, 54);
            World.failure = error;
            try {
                same(RESTORING | V + 25, LucceHooks.enter(t, 4));
            } finally {
                World.failure = null;
            }
            same("0 4 0", t.$lucce$slot + " " + t.$lucce$top + " " + t.$lucce$site);
            same(SAMPLED ? -3 : 0, t.$lucce$tick);
        }
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

    static void a_captured_context_is_found_again() {
        World.captured(140, 20, 0, 901);
        World.captured(142, 20, 0, 902);
        World.captured(CHAINED | 140, 20, 33, 903);
        World.current = at(142, 20);
        same(902L, LucceAsked.capture());
        World.current = at(CHAINED | 140, 20);
        World.current.$lucce$stack = new long[] {0, Long.MIN_VALUE, 0, 33, 0, 5, 0, 0};
        World.current.$lucce$top = 8;
        same(903L, LucceAsked.capture());
        same(0, World.CALLS.size());
    }

    static void a_context_not_captured_yet_is_asked_for() {
        World.current = at(144, 20);
        same(779L, LucceAsked.capture());
        World.current = at(CHAINED | 140, 20);
        same(779L, LucceAsked.capture());
        World.current.$lucce$stack = new long[] {0, Long.MIN_VALUE, 0, 0};
        World.current.$lucce$top = 4;
        same(779L, LucceAsked.capture());
        same(3, World.CALLS.size());
    }

    /** A thread whose chain has these entries, bottom first, each {@code {ctx, cut ? 1 : 0, site, last long}}. */
    private static Thread chained(long ctx, int site, long[]... entries) {
        Thread t = at(ctx, site);
        t.$lucce$stack = new long[4 * entries.length + 4];
        for (long[] entry : entries) {
            t.$lucce$stack[t.$lucce$top] = entry[0];
            t.$lucce$stack[t.$lucce$top + 1] = entry[1] << 63 | 9L << 32 | entry[2];
            t.$lucce$stack[t.$lucce$top + 3] = entry[3];
            t.$lucce$top += 4;
        }
        return t;
    }

    static void the_nodes_of_cut_entries_are_looked_up_from_the_bottom_and_kept() {
        long marked = Long.MIN_VALUE | 700L << 32;
        World.captured(120, 24, 0, 501);
        World.captured(CHAINED | 122, 25, 501, 502);
        World.captured(CHAINED | 124, 24, 502, 503);
        Thread t = World.current = chained(CHAINED | 124, 24, new long[] {118, 1, 24, 0}, new long[] {120, 1, 24, marked},
            new long[] {120, 0, 0, 0}, new long[] {CHAINED | 122, 1, 25, 0}, new long[] {1, 0, 26, 0});
        same(503L, LucceAsked.capture());
        same(marked | 501, t.$lucce$stack[4 + 3]);
        same(502L, t.$lucce$stack[12 + 3]);
        same("0 0 0", t.$lucce$stack[3] + " " + t.$lucce$stack[8 + 3] + " " + t.$lucce$stack[16 + 3]);
        same(0, World.CALLS.size());
    }

    static void below_an_entry_whose_node_is_known_nothing_is_looked_up() {
        World.captured(CHAINED | 126, 27, 510, 511);
        World.captured(CHAINED | 128, 27, 511, 512);
        Thread t = World.current = chained(CHAINED | 128, 27, new long[] {CHAINED | 120, 1, 27, 0}, new long[] {CHAINED | 120, 1, 27, 510},
            new long[] {CHAINED | 126, 1, 27, 0});
        same(512L, LucceAsked.capture());
        same("0 511", t.$lucce$stack[3] + " " + t.$lucce$stack[8 + 3]);
        same(0, World.CALLS.size());
    }

    static void a_chain_that_is_not_to_be_believed_is_not_looked_at() {
        World.captured(140, 29, 0, 530);
        World.captured(CHAINED | 140, 29, 531, 532);
        Thread t = World.current = chained(CHAINED | 140, 29, new long[] {0, 1, 29, 531});
        same(532L, LucceAsked.capture());
        t.$lucce$doubted = 1;
        same(779L, LucceAsked.capture());
        same("[captureSlow]", World.CALLS.toString());
        t.$lucce$ctx = 140;
        same(530L, LucceAsked.capture());
    }

    static void a_cut_entry_of_a_context_not_captured_yet_is_asked_for() {
        World.captured(130, 28, 0, 520);
        World.captured(CHAINED | 134, 28, 522, 523);
        Thread t = World.current = chained(CHAINED | 134, 28, new long[] {130, 1, 28, 0}, new long[] {CHAINED | 132, 1, 28, 0});
        same(779L, LucceAsked.capture());
        // What was found is kept; nothing is made up for the rest.
        same("520 0", t.$lucce$stack[3] + " " + t.$lucce$stack[4 + 3]);
        World.captured(CHAINED | 132, 28, 520, 522);
        same(523L, LucceAsked.capture());
        same("[captureSlow]", World.CALLS.toString());
        // A chained word without an entry left for it has no context.
        World.current = chained(CHAINED | 134, 28, new long[] {CHAINED | 132, 1, 28, 0});
        same(779L, LucceAsked.capture());
    }

    static void a_deep_recursion_is_looked_up_at_once_and_each_level_only_once() {
        int depth = 10_000;
        long[][] entries = new long[depth][];
        for (int i = 0; i < depth; i++) {
            entries[i] = new long[] {i == 0 ? 136 : CHAINED | 136, 1, 29, 0};
            World.captured(entries[i][0], 29, i == 0 ? 0 : 10_000 + i - 1, 10_000 + i);
        }
        Thread t = World.current = chained(CHAINED | 136, 29, entries);
        // The context at the top is that of one more level.
        World.captured(CHAINED | 136, 29, 10_000 + depth - 1, 10_000 + depth);
        same(10_000L + depth, LucceAsked.capture());
        for (int i = 0; i < depth; i++) same(10_000L + i, t.$lucce$stack[4 * i + 3]);
        t.$lucce$stack[3] = 0;
        same(10_000L + depth, LucceAsked.capture());
        same(0L, t.$lucce$stack[3]);
        same(0, World.CALLS.size());
    }

    static void an_event_sees_the_resumed_caller() {
        Thread t = World.current = at(0, 0);
        t.$lucce$stack = new long[] {61, 9L << 32 | 21, 0, 0};
        exit(t, 0);
        LucceAsked.event("kind", 5);
        same("[eventSlow kind 5 21 61]", World.CALLS.toString());
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

    static void a_stack_overflow_inside_a_hook_leaves_the_state_of_before() throws Exception {
        overflows(false);
    }

    static void so_does_one_inside_a_hook_of_what_may_sleep() throws Exception {
        World.U.putByte(World.AWAKE + 4, (byte) 1);
        overflows(true);
    }

    private static void overflows(boolean sleeps) throws Exception {
        World.publish(23, 4, World.record(23, 4, V, 10, 0, 1));
        Overflow overflow = new Overflow(sleeps);
        for (int i = 0; i < 200; i++) {
            java.lang.Thread thread = new java.lang.Thread(null, overflow, "overflow", 200_000 + i * 160L);
            thread.start();
            thread.join();
        }
        if (overflow.error != null) throw new AssertionError(overflow.error);
        if (overflow.overflows == 0) throw new AssertionError("no hook overflowed");
    }

    /** Recurses to the end of the stack, entering a pushed link in every frame. */
    private static final class Overflow implements Runnable {
        private final Thread t = at(V + 3, 23);
        private final boolean sleeps;
        Throwable error;
        int overflows;
        private boolean torn;

        Overflow(boolean sleeps) {
            this.sleeps = sleeps;
            t.$lucce$roused = 1;
        }

        @Override
        public void run() {
            try {
                frame(0);
            } catch (StackOverflowError e) {
                // The end of the stack, as intended.
            } catch (Throwable e) {
                error = e;
            }
            if (torn) error = new AssertionError("an entry that overflowed, or one that did not, was done by half");
        }

        private void frame(int depth) {
            // No chain yet, so that each entry has to make one.
            t.$lucce$top = 0;
            t.$lucce$stack = null;
            t.$lucce$ctx = V + 3;
            t.$lucce$site = 23;
            long word;
            try {
                word = sleeps ? LucceAwake.enter(t, 4) : LucceHooks.enter(t, 4);
            } catch (StackOverflowError e) {
                overflows++;
                torn |= t.$lucce$top != 0 || t.$lucce$site != 23;
                throw e;
            }
            torn |= word >= 0 || t.$lucce$slot != 0 || t.$lucce$top != 4 || t.$lucce$site != 0;
            frame(depth + 1);
        }
    }

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

    static void a_chained_word_is_counted_with_its_chain() {
        Thread t = at(7, 8);
        LucceChain.push(t, 4_000, 35, 9, 4_001, true);
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
