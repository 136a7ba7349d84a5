package hazards;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Virtual threads that block in every way and move between carriers (21 and later; reached by reflection, so it compiles on 11). */
public final class VirtualThreads {
    static final int THREADS = Integer.getInteger("threads", 400);
    static final AtomicInteger SUM = new AtomicInteger();
    static final ReentrantLock LOCK = new ReentrantLock();
    static final Object MONITOR = new Object();

    private VirtualThreads() {}

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    static int descend(int n, int kind) throws InterruptedException {
        if (n == 0) {
            block(kind);
            return leaf(kind);
        }
        int result = descend(n - 1, kind) + 1;
        if (n % 3 == 0) {
            block(kind + n);
        }
        Check.here();
        return result;
    }

    static void block(int kind) throws InterruptedException {
        switch (kind % 6) {
            case 0:
                Thread.sleep(1);
                break;
            case 1:
                Thread.yield();
                break;
            case 2:
                LOCK.lock();
                try {
                    leaf(kind);
                    Thread.yield();
                    leaf(kind);
                } finally {
                    LOCK.unlock();
                }
                break;
            case 3:
                LockSupport.parkNanos(1000);
                break;
            case 4:
                synchronized (MONITOR) {
                    leaf(kind);
                    Thread.sleep(1);
                    leaf(kind);
                }
                break;
            default:
                List.of(1, 2).forEach(i -> {
                    leaf(i);
                    LockSupport.parkNanos(1000);
                    leaf(i);
                });
        }
        leaf(kind);
    }

    static void body(int n) {
        try {
            SUM.addAndGet(descend(n % 12, n));
            if (n % 5 == 0) {
                throw new IllegalStateException();
            }
        } catch (InterruptedException e) {
            Check.fail("interrupted");
        } catch (IllegalStateException e) {
            leaf(1);
            Thread.yield();
            leaf(2);
        }
    }

    static void pass() throws Exception {
        SynchronousQueue<Integer> queue = new SynchronousQueue<>();
        Thread sender = start(() -> {
            try {
                for (int i = 0; i < 40; i++) {
                    queue.put(leaf(i));
                }
            } catch (InterruptedException e) {
                Check.fail("interrupted");
            }
        });
        Thread receiver = start(() -> {
            try {
                for (int i = 0; i < 40; i++) {
                    SUM.addAndGet(leaf(queue.take()));
                }
            } catch (InterruptedException e) {
                Check.fail("interrupted");
            }
        });
        sender.join();
        receiver.join();
    }

    private static Thread start(Runnable body) throws Exception {
        return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
    }

    public static void main(String[] args) throws Exception {
        ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < THREADS; i++) {
            int n = i;
            threads.add(start(() -> body(n)));
            if (i % 20 == 0) {
                // One virtual thread that starts others.
                threads.add(start(() -> {
                    try {
                        Thread child = start(() -> body(n + 1));
                        leaf(n);
                        child.join();
                        leaf(n);
                    } catch (Exception e) {
                        Check.fail("" + e);
                    }
                }));
            }
        }
        for (Thread thread : new ArrayList<>(threads)) {
            thread.join();
        }
        for (int round = 0; round < 5; round++) {
            pass();
        }
        Method make = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        ExecutorService executor = (ExecutorService) make.invoke(null);
        for (int i = 0; i < THREADS / 4; i++) {
            int n = i;
            executor.submit(() -> body(n));
        }
        executor.shutdown();
        executor.awaitTermination(60, java.util.concurrent.TimeUnit.SECONDS);
        System.out.println(SUM.get());
        Check.doneRacy("VirtualThreads");
    }
}
