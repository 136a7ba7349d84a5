package hazards;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.atomic.AtomicInteger;

/** Bases of threads and other entries from native code: run, uncaught-exception handlers, thread locals, doPrivileged, monitors. */
public final class ThreadBases {
    static final AtomicInteger HANDLED = new AtomicInteger();
    static final ThreadLocal<Integer> LOCAL = ThreadLocal.withInitial(() -> leaf(4));

    private ThreadBases() {}

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    static final class Own extends Thread {
        private final int n;

        Own(int n) {
            super("own-" + n);
            this.n = n;
            setUncaughtExceptionHandler((thread, e) -> HANDLED.addAndGet(leaf(n)));
        }

        @Override
        public void run() {
            leaf(n);
            LOCAL.get();
            super.run();
            if (n % 2 == 0) {
                throw new IllegalStateException("uncaught");
            }
            if (n > 4) {
                new Own(n - 4).run();
            }
        }
    }

    @SuppressWarnings({"deprecation", "removal"})
    static int privileged(int n) {
        int value = AccessController.doPrivileged((PrivilegedAction<Integer>) () -> leaf(n));
        Check.here();
        try {
            AccessController.doPrivileged((PrivilegedAction<Integer>) () -> {
                throw new IllegalStateException("" + leaf(n));
            });
        } catch (IllegalStateException e) {
            value += leaf(1);
        }
        return value;
    }

    static final class Buffer {
        private int value;
        private boolean full;

        synchronized void put(int n) throws InterruptedException {
            while (full) {
                wait();
                leaf(0);
            }
            value = leaf(n);
            full = true;
            notifyAll();
        }

        synchronized int take() throws InterruptedException {
            while (!full) {
                wait();
                leaf(0);
            }
            full = false;
            notifyAll();
            return leaf(value);
        }
    }

    static int monitors() throws InterruptedException {
        Buffer buffer = new Buffer();
        Thread producer = new Thread(() -> {
            try {
                for (int i = 0; i < 50; i++) {
                    buffer.put(i);
                }
            } catch (InterruptedException e) {
                Check.fail("interrupted");
            }
        });
        producer.start();
        int sum = 0;
        for (int i = 0; i < 50; i++) {
            sum += buffer.take();
        }
        producer.join();
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> HANDLED.addAndGet(leaf(100)));
        int sum = 0;
        for (int round = 0; round < 12; round++) {
            Own own = new Own(round);
            own.start();
            own.join();
            Thread bare = new Thread(() -> {
                throw new IllegalStateException("" + leaf(1));
            });
            bare.start();
            bare.join();
            sum += privileged(round) + LOCAL.get();
            LOCAL.remove();
            sum += monitors();
        }
        System.out.println(sum + " " + HANDLED.get());
        Check.doneRacy("ThreadBases");
    }
}
