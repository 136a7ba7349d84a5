package hazards;

import org.lucce.Lucce;

/** Wrapped tasks that run where the stack is about to end, at every offset, and behind each a StackOverflowError an event of the thread's own. */
public final class NearTheEnd {
    private static final int SHIFTS = 200;
    private static final Runnable WRAPPED = Lucce.wrap(() -> { });
    static int sink;

    private NearTheEnd() {}

    static int wrapped() {
        try {
            WRAPPED.run();
        } catch (StackOverflowError e) {
            sink++;
        }
        return wrapped() + 1;
    }

    static int shifted(int shift) {
        return shift > 0 ? shifted(shift - 1) + 1 : wrapped();
    }

    private static void run() {
        WRAPPED.run();
        Lucce.event("after", -1);
        for (int shift = 0; shift < SHIFTS; shift++) {
            try {
                sink += shifted(shift);
            } catch (StackOverflowError e) {
                Lucce.event("after", shift);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(null, NearTheEnd::run, "near the end", 160 << 10);
        thread.start();
        thread.join();
    }
}
