package hazards;

import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock is held at one known line while another thread waits for it; the holder prints its own stack. Arguments: how often each lock is held;
 * whether holders and waiters are virtual threads.
 */
public final class Held {
    static final Object MONITOR = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static StackTraceElement[] own;

    private Held() {}

    static void hold(CountDownLatch held) throws InterruptedException {
        synchronized (MONITOR) {
            pause(held);
        }
    }

    static void lock(CountDownLatch held) throws InterruptedException {
        LOCK.lock();
        try {
            pause(held);
        } finally {
            LOCK.unlock();
        }
    }

    /** Lets the waiter come, and holds on for long after: on one line, so that it is where it says once the waiter may look. */
    static void pause(CountDownLatch held) throws InterruptedException {
        own = new Throwable().getStackTrace(); held.countDown(); Thread.sleep(400);
    }

    static void enter() {
        synchronized (MONITOR) {
            own = own.clone();
        }
    }

    static void acquire() {
        LOCK.lock();
        LOCK.unlock();
    }

    private static Thread start(boolean virtual, String name, Runnable body) throws Exception {
        if (!virtual) {
            Thread thread = new Thread(body, name);
            thread.start();
            return thread;
        }
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        Object named = type.getMethod("name", String.class).invoke(builder, name);
        Method start = type.getMethod("start", Runnable.class);
        return (Thread) start.invoke(named, body);
    }

    /** What a holder does. */
    interface Holding {
        void go(CountDownLatch held) throws InterruptedException;
    }

    private static void contend(int count, boolean virtual, Holding holding, Runnable waiting) throws Exception {
        for (int i = 0; i < count; i++) {
            CountDownLatch held = new CountDownLatch(1);
            Thread holder = start(virtual, "holder", () -> {
                try {
                    holding.go(held);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            held.await();
            start(virtual, "waiter", waiting).join();
            holder.join();
        }
        StringBuilder text = new StringBuilder("Held:");
        for (StackTraceElement frame : own) {
            if (frame.getClassName().startsWith("hazards.")) {
                text.append(' ').append(frame.getMethodName()).append(':').append(frame.getLineNumber());
            }
        }
        System.out.println(text);
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        boolean virtual = args.length > 1;
        contend(count, virtual, Held::hold, Held::enter);
        contend(count, virtual, Held::lock, Held::acquire);
    }
}
