package hazards;

import java.util.ArrayList;
import java.util.List;

/** Threads that wait for a monitor which a virtual thread takes as it is unmounted. */
public final class Yielding {
    private static volatile boolean stop;

    private Yielding() {}

    private static void yields() {
        while (!stop) {
            Thread.yield();
        }
    }

    private static void asks(Thread other) {
        int length = 0;
        for (int i = 0; i < 20_000; i++) {
            other.interrupt();
            length |= other.toString().length();
        }
        Check.equal(true, length > 0);
    }

    public static void main(String[] args) throws Exception {
        Thread other = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) Yielding::yields);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(new Thread(() -> asks(other)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        stop = true;
        other.join();
        Check.done("Yielding");
    }
}
