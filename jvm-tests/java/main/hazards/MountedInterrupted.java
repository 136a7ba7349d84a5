package hazards;

import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that are mounted while they are interrupted (21 and later; started by reflection, so it compiles on 11).
 *
 * <p>The JVM then calls methods of the carrier, and hides their frames.
 */
public final class MountedInterrupted {
    private MountedInterrupted() {}

    static int interrupted() {
        Check.here();
        return Thread.interrupted() ? 1 : 0;
    }

    static int mounted() {
        Thread.currentThread().interrupt();
        LockSupport.park(); // returns at once
        Thread.yield(); // is mounted while interrupted
        int seen = interrupted();
        Thread.yield();
        LockSupport.parkNanos(1000);
        return seen;
    }

    public static void main(String[] args) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        int[] seen = new int[1];
        for (int i = 0; i < 100; i++) {
            ((Thread) start.invoke(null, (Runnable) () -> seen[0] += mounted())).join();
        }
        System.out.println(seen[0]);
    }
}
