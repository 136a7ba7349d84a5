package hooks;

import static hooks.HooksTest.RESTORING;
import static hooks.HooksTest.V;
import static hooks.HooksTest.at;
import static hooks.HooksTest.enable;
import static hooks.HooksTest.same;

/**
 * Which entries are sampled with {@code profile}, against the samples that {@link World} is given.
 * No sample changes what an entry gives. Source: docs/design/profiles.md.
 */
final class ProfileTest {
    /** Is each third entry sampled? */
    private static final boolean SAMPLED = Integer.getInteger("profile", 0) == 3;
    /** Is there a tick, and does an odd one begin a burst? */
    private static final boolean TICKS = Boolean.getBoolean("ticks");
    private static final boolean BURSTS = Boolean.getBoolean("bursts");

    private ProfileTest() {}

    static void each_third_entry_of_a_thread_is_sampled_and_what_is_sampled_is_what_it_was_given() {
        World.publish(56, 4, World.record(56, 4, V, 10, 1_000, 0));
        World.publish(57, 4, World.record(57, 4, V + 20, 1, 5, 1));
        Thread t = new Thread();
        for (int i = 0; i < 7; i++) {
            LucceHooks.publish(t, V + i, 56);
            same(V + 1_000 + i, LucceHooks.enter(t, 4));
        }
        LucceHooks.enterUntrusted(t, 4);
        LucceHooks.publish(t, V + 20, 57);
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
            World.tick(tick);
            for (int i = 0; i < 3; i++) {
                LucceHooks.publish(t, V + i, 55);
                same(tick == 3 ? 0L : V + 1_000 + i, tick == 3 ? LucceLazyEntry.enter(t, 4) : LucceHooks.enter(t, 4));
            }
        }
        World.tick(0);
        String samples = "[4 " + (V + 1_000) + " 1 0, 4 " + (V + 1_000) + " 0 0, 4 0 0 0]";
        String all = "4 " + (V + 1_000) + " 0 0, 4 " + (V + 1_001) + " 0 0, 4 " + (V + 1_002) + " 0 0";
        if (BURSTS) samples = "[" + all + ", 4 0 0 0, 4 0 0 0, 4 0 0 0]";
        if (!SAMPLED) same(TICKS ? samples : "[]", World.SAMPLES.toString());
    }

    /** Inactive entries of the methods 4 to 6, of which a tick is behind the first. */
    private static String entered(Thread t, int tick) {
        World.SAMPLES.clear();
        World.tick(tick);
        same(0L, LucceLazyEntry.enter(t, 4) | LucceLazyEntry.enterUntrusted(t, 5) | LucceLazyEntry.pollBackEdge(t, 6));
        return t.$lucce$sampled + " " + World.SAMPLES;
    }

    static void who_sleeps_is_sampled_once_behind_each_tick_and_looks_at_nothing_until_the_next() {
        if (!TICKS || BURSTS) return;
        Thread t = new Thread();
        same("1 [4 0 1 0]", entered(t, 1));
        same("1 [4 0 0 0]", entered(t, 2));
        same("1 [4 0 0 0]", entered(t, 3));
        // The next tick comes while the agent does not know yet that the thread waits.
        World.missed = 5;
        same("1 [4 0 0 0, 5 0 0 0]", entered(t, 4));
        World.missed = 0;
        World.isFull = true;
        same("0 [4 0 0 0]", entered(t, 6));
        World.isFull = false;
        same("1 []", entered(t, 6));
        World.failure = new OutOfMemoryError();
        same("1 [4 0 0 0]", entered(t, 7));
        World.failure = null;
        // Hooks are enabled in the thread, which still waits for a tick.
        enable(t);
        same("-1 [4 0 0 0]", entered(t, 8));
        same("-1 [4 0 0 0]", entered(t, 9));
        World.tick(0);
    }

    static void an_entry_has_its_turn_where_words_are_hashed_too() {
        Thread t = new Thread();
        for (int i = 0; i < 6; i++) {
            World.tick(1 + i / 2);
            LucceHooks.enteredHashed(t, 4, 100 + i);
        }
        World.tick(0);
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
}
