package java.lang;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What {@code java.util.concurrent.locks.LockSupport} calls before and after a wait
 * ({@code locks}).
 *
 * <p>The agent defines this class in {@code java.base} and initialises it before it rewrites
 * LockSupport.
 *
 * <p><b>Invariant.</b> Nothing leaves {@link #parking} and {@link #parked}, and they change nothing
 * of the thread's state.
 */
public final class LucceLocks {
    static {
        registerNatives();
    }

    /**
     * Threads of this class run virtual threads (21 and later), and park between them: there the
     * stack is not the thread's own.
     */
    private static final Class<?> CARRIER = carrier();

    private LucceLocks() {}

    /**
     * The running thread is about to wait for {@code blocker}: the time by {@link System#nanoTime}.
     */
    @DontInline
    @Hidden
    public static long parking(Object blocker) {
        try {
            if (blocker instanceof AbstractOwnableSynchronizer) {
                Thread t = Thread.currentThread();
                if (t.getClass() != CARRIER) parkingSlow(t, blocker);
            }
        } catch (Throwable e) {
            // The holder is unknown, nothing else.
        }
        return System.nanoTime();
    }

    /**
     * The running thread has waited for {@code blocker} since {@code start}, by
     * {@link System#nanoTime}.
     */
    @DontInline
    @Hidden
    public static void parked(Object blocker, long start) {
        try {
            Thread t = Thread.currentThread();
            if (t.getClass() != CARRIER) parkedSlow(t, blocker, System.nanoTime() - start);
        } catch (Throwable e) {
            // Whoever parks holds half-made locks: an event is lost, nothing else.
        }
    }

    private static Class<?> carrier() {
        try {
            return Class.forName("jdk.internal.misc.CarrierThread", false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static native void registerNatives();
    private static native void parkingSlow(Thread t, Object blocker);
    private static native void parkedSlow(Thread t, Object blocker, long nanos);
}
