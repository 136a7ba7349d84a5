package hooks;

import static hooks.HooksTest.*;

/** The end of the stack inside a hook. Run by {@link HooksTest}. */
final class OverflowTest {
    private OverflowTest() {}

    static void a_stack_overflow_inside_a_hook_leaves_the_state_of_before() throws Exception {
        overflows(false);
    }

    static void so_does_one_inside_a_hook_of_what_may_sleep() throws Exception {
        World.U.putByte(World.ACTIVE + 4, (byte) 1);
        overflows(true);
    }

    private static void overflows(boolean inactive) throws Exception {
        World.publish(23, 4, World.record(23, 4, V, 10, 0, 1));
        Overflow overflow = new Overflow(inactive);
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
        private final boolean inactive;
        Throwable error;
        int overflows;
        private boolean torn;

        Overflow(boolean inactive) {
            this.inactive = inactive;
            HooksTest.enable(t);
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
            // No shadow stack yet, so that each entry has to make one.
            t.$lucce$top = 0;
            t.$lucce$stack = null;
            t.$lucce$ctx = V + 3;
            t.$lucce$site = 23;
            long word;
            try {
                word = inactive ? LucceLazyEntry.enter(t, 4) : LucceHooks.enter(t, 4);
            } catch (StackOverflowError e) {
                overflows++;
                torn |= t.$lucce$top != 0 || t.$lucce$site != 23;
                throw e;
            }
            torn |= word >= 0 || t.$lucce$slot != 0 || t.$lucce$top != 4 || t.$lucce$site != 0;
            frame(depth + 1);
        }
    }
}
