package hazards;

import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Waits a known number of times for monitors, locks and time. Arguments: how often; whether the waiting threads are virtual ones. */
public final class Contended {
    static final Object MONITOR = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static int entered;

    private Contended() {}

    /** A thread waits for it to be over. */
    interface Wait {
        void go() throws InterruptedException;
    }

    static void block() {
        synchronized (MONITOR) {
            entered++;
        }
    }

    static synchronized void method() {
        entered++;
    }

    static void callsMethod() {
        method();
    }

    static void locked() {
        LOCK.lock();
        try {
            entered++;
        } finally {
            LOCK.unlock();
        }
    }

    static void nap() {
        LockSupport.parkNanos(MONITOR, 1_000_000);
    }

    static void napAlone() {
        LockSupport.parkNanos(1_000_000);
    }

    static void until() {
        LockSupport.parkUntil(System.currentTimeMillis() + 1);
    }

    private static Thread start(boolean virtual, Runnable body) throws Exception {
        if (!virtual) {
            Thread thread = new Thread(body, "waiter");
            thread.start();
            return thread;
        }
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        return (Thread) start.invoke(null, body);
    }

    private static void waitsFor(Thread thread, Thread.State... states) throws InterruptedException {
        while (true) {
            for (Thread.State state : states) {
                if (thread.getState() == state) {
                    return;
                }
            }
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        boolean virtual = args.length > 1 && Boolean.parseBoolean(args[1]);
        for (int i = 0; i < count; i++) {
            Thread waiter;
            synchronized (MONITOR) {
                waiter = start(virtual, () -> block());
                waitsFor(waiter, Thread.State.BLOCKED);
            }
            waiter.join();
            synchronized (Contended.class) {
                waiter = start(virtual, () -> callsMethod());
                waitsFor(waiter, Thread.State.BLOCKED);
            }
            waiter.join();
            LOCK.lock();
            try {
                waiter = start(virtual, () -> locked());
                waitsFor(waiter, Thread.State.WAITING);
            } finally {
                LOCK.unlock();
            }
            waiter.join();
            start(virtual, () -> {
                nap();
                napAlone();
                until();
            }).join();
        }
        CountDownLatch latch = new CountDownLatch(0);
        latch.await();
        System.out.println("Contended: " + entered);
    }
}
