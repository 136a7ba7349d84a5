package hazards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.lucce.Lucce;

/**
 * Threads started in all ways. Each way's events are named after it, and the target prints beside the name what it has seen itself where the
 * thread was started: the stack, taken on the same line, and what it knew of the starting thread.
 */
public final class Origins {
    /** Where this thread came from, nearest first. */
    private static final ThreadLocal<List<String>> TRAIL = ThreadLocal.withInitial(List::of);

    private Origins() {}

    /** What a thread that is started on the caller's line will be told. */
    static List<String> started(Throwable here) {
        return trail("started at ", here);
    }

    static List<String> trail(String verb, Throwable here) {
        List<String> trail = new ArrayList<>();
        trail.add(verb + Arrays.stream(here.getStackTrace()).filter(Origins::own).map(Origins::frame).collect(Collectors.joining(";")));
        trail.addAll(TRAIL.get());
        return trail;
    }

    private static boolean own(StackTraceElement frame) {
        return !frame.getClassName().matches("(java|jdk|sun)\\..*");
    }

    private static String frame(StackTraceElement frame) {
        return frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber();
    }

    /** The body of a thread: an event, and what is known of where it came from. */
    static Runnable body(String name, List<String> trail) {
        return () -> within(trail, () -> event(name));
    }

    /** What is done in a thread or task that came from there. */
    static void within(List<String> trail, Runnable what) {
        List<String> before = TRAIL.get();
        TRAIL.set(trail);
        try {
            what.run();
        } finally {
            TRAIL.set(before);
        }
    }

    static void event(String name) {
        synchronized (System.out) {
            System.out.println(name + "|" + String.join("|", TRAIL.get()));
        }
        Lucce.event(name, 1);
    }

    static void plain() throws InterruptedException {
        Thread[] started = new Thread[1];
        started[0] = new Thread(body("plain", started(new Throwable()))); started[0].start();
        started[0].join();
    }

    static void recursive(int depth) throws InterruptedException {
        if (depth > 0) {
            recursive(depth - 1);
            return;
        }
        Thread thread = new Thread(body("recursive", started(new Throwable()))); thread.start();
        thread.join();
    }

    /** A thread that starts a thread that starts a thread. */
    static void nested(int depth, List<String> trail) throws InterruptedException {
        TRAIL.set(trail);
        event("nested" + depth);
        if (depth < 20) {
            Thread thread = thread(depth + 1, started(new Throwable())); thread.start();
            thread.join();
        }
        TRAIL.remove();
    }

    private static Thread thread(int depth, List<String> trail) {
        return new Thread(() -> {
            try {
                nested(depth, trail);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Its own {@code start} is a frame. */
    static final class Late extends Thread {
        private List<String> trail;

        @Override
        public synchronized void start() {
            trail = started(new Throwable()); super.start();
        }

        @Override
        public void run() {
            body("overridden", trail).run();
        }
    }

    /** Started while its class is initialised: nothing is published there, so the stack is walked. */
    static final class Initialised {
        static final Thread THREAD = new Thread(body("initialised", started(new Throwable()))); static { THREAD.start(); }

        static void await() throws InterruptedException {
            THREAD.join();
        }
    }

    /** Started from a constructor. */
    static final class Starting {
        final Thread thread;

        Starting() {
            thread = new Thread(body("constructor", started(new Throwable()))); thread.start();
        }
    }

    /** Called back by the JDK. */
    static void callbacks() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List.of("callback").forEach(name -> {
            Thread thread = new Thread(body(name, started(new Throwable()))); threads.add(thread); thread.start();
        });
        threads.get(0).join();
    }

    /** A second call of start does not change where a thread came from. */
    static void twice() throws InterruptedException {
        Object gate = new Object();
        Thread thread;
        synchronized (gate) {
            List<String>[] trail = new List[1];
            thread = new Thread(() -> {
                synchronized (gate) {
                    body("twice", trail[0]).run();
                }
            });
            trail[0] = started(new Throwable()); thread.start();
            try {
                thread.start();
                Check.fail("started twice");
            } catch (IllegalThreadStateException e) {
                // As it should be.
            }
        }
        thread.join();
    }

    /** The pool's thread: started where the first task was handed over. Both events happen on it. */
    static void pool() throws Exception {
        List<String>[] trail = new List[1];
        ExecutorService pool = Executors.newFixedThreadPool(1, body -> new Thread(() -> {
            TRAIL.set(trail[0]);
            event("pool");
            body.run();
        }));
        trail[0] = started(new Throwable()); pool.execute(() -> { });
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** Virtual threads, where there are any (JDK 21). */
    static void virtual() throws Exception {
        Callable<?> factory;
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            factory = () -> type.getMethod("factory").invoke(builder);
        } catch (NoSuchMethodException e) {
            return;
        }
        ThreadFactory threads = (ThreadFactory) factory.call();
        Thread thread = threads.newThread(body("virtual", started(new Throwable()))); thread.start();
        thread.join();
        ExecutorService executor = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        executor.submit(body("executor", started(new Throwable()))).get();
        // A virtual thread that starts another, and a platform thread.
        List<String> outer = started(new Throwable()); executor.submit(() -> {
            TRAIL.set(outer);
            event("outer");
            Thread inner = threads.newThread(body("inner", started(new Throwable()))); inner.start();
            Thread platform = new Thread(body("platform", started(new Throwable()))); platform.start();
            inner.join();
            platform.join();
            return null;
        }).get();
        executor.shutdown();
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 2; round++) {
            plain();
            recursive(5);
            nested(0, List.of());
            Late late = new Late(); late.start();
            late.join();
            Initialised.await();
            new Starting().thread.join();
            callbacks();
            twice();
            pool();
            virtual();
        }
    }
}
