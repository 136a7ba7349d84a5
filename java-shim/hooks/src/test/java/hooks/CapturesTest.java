package hooks;

import static hooks.HooksTest.*;

/**
 * Captures and events: what the hooks know of contexts that were captured before. Run by
 * {@link HooksTest}.
 */
final class CapturesTest {
    private CapturesTest() {}

    static void a_captured_context_is_found_again() {
        World.captured(140, 20, 0, 901);
        World.captured(142, 20, 0, 902);
        World.captured(CHAINED | 140, 20, 33, 903);
        World.current = at(142, 20);
        same(902L, LucceApi.capture());
        World.current = at(CHAINED | 140, 20);
        World.current.$lucce$stack = new long[] {0, Long.MIN_VALUE, 0, 33, 0, 5, 0, 0};
        World.current.$lucce$top = 8;
        same(903L, LucceApi.capture());
        same(0, World.CALLS.size());
    }

    static void a_context_not_captured_yet_is_asked_for() {
        World.current = at(144, 20);
        same(779L, LucceApi.capture());
        World.current = at(CHAINED | 140, 20);
        same(779L, LucceApi.capture());
        World.current.$lucce$stack = new long[] {0, Long.MIN_VALUE, 0, 0};
        World.current.$lucce$top = 4;
        same(779L, LucceApi.capture());
        same(3, World.CALLS.size());
    }

    /**
     * A thread whose shadow stack has these entries, bottom first, each
     * {@code {ctx, cut ? 1 : 0, site, last long}}.
     */
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
        same(503L, LucceApi.capture());
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
        same(512L, LucceApi.capture());
        same("0 511", t.$lucce$stack[3] + " " + t.$lucce$stack[8 + 3]);
        same(0, World.CALLS.size());
    }

    static void a_shadow_stack_that_is_not_to_be_believed_is_not_looked_at() {
        World.captured(140, 29, 0, 530);
        World.captured(CHAINED | 140, 29, 531, 532);
        Thread t = World.current = chained(CHAINED | 140, 29, new long[] {0, 1, 29, 531});
        same(532L, LucceApi.capture());
        t.$lucce$doubted = 1;
        same(779L, LucceApi.capture());
        same("[captureSlow]", World.CALLS.toString());
        t.$lucce$ctx = 140;
        same(530L, LucceApi.capture());
    }

    static void a_cut_entry_of_a_context_not_captured_yet_is_asked_for() {
        World.captured(130, 28, 0, 520);
        World.captured(CHAINED | 134, 28, 522, 523);
        Thread t = World.current = chained(CHAINED | 134, 28, new long[] {130, 1, 28, 0}, new long[] {CHAINED | 132, 1, 28, 0});
        same(779L, LucceApi.capture());
        // What was found is kept; nothing is made up for the rest.
        same("520 0", t.$lucce$stack[3] + " " + t.$lucce$stack[4 + 3]);
        World.captured(CHAINED | 132, 28, 520, 522);
        same(523L, LucceApi.capture());
        same("[captureSlow]", World.CALLS.toString());
        // A chained word without an entry left for it has no context.
        World.current = chained(CHAINED | 134, 28, new long[] {CHAINED | 132, 1, 28, 0});
        same(779L, LucceApi.capture());
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
        same(10_000L + depth, LucceApi.capture());
        for (int i = 0; i < depth; i++) same(10_000L + i, t.$lucce$stack[4 * i + 3]);
        t.$lucce$stack[3] = 0;
        same(10_000L + depth, LucceApi.capture());
        same(0L, t.$lucce$stack[3]);
        same(0, World.CALLS.size());
    }

    static void an_event_sees_the_resumed_caller() {
        Thread t = World.current = at(0, 0);
        t.$lucce$stack = new long[] {61, 9L << 32 | 21, 0, 0};
        exit(t, 0);
        LucceApi.event("kind", 5);
        same("[eventSlow kind 5 21 61]", World.CALLS.toString());
    }
}
