package hazards;

import static hazards.Origins.body;
import static hazards.Origins.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.lucce.Lucce;

/**
 * Tasks handed over to all kinds of executors, as {@link Origins} does it with threads: each is told by whoever hands it over where that was.
 */
public final class Tasks {
    private static final List<String> AMBIGUOUS = List.of("submitted at [unknown here: the same task was handed over more than once]");

    private Tasks() {}

    static List<String> submitted(Throwable here) {
        return Origins.trail("submitted at ", here);
    }

    static Callable<Integer> call(String name, List<String> trail) {
        return () -> {
            body(name, trail).run();
            return 1;
        };
    }

    /** Runs what is handed over in the order in which it comes, on one thread, one after the other. */
    static void pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.execute(body("execute", submitted(new Throwable())));
        pool.submit(body("submit", submitted(new Throwable()))).get();
        pool.submit(call("call", submitted(new Throwable()))).get();
        List<Callable<Integer>> calls = new ArrayList<>();
        calls.add(call("all", submitted(new Throwable()))); calls.add(call("all", submitted(new Throwable()))); pool.invokeAll(calls);
        List<Callable<Integer>> any = new ArrayList<>();
        any.add(call("any", submitted(new Throwable()))); pool.invokeAny(any);
        ExecutorCompletionService<Integer> completion = new ExecutorCompletionService<>(pool);
        completion.submit(call("completion", submitted(new Throwable())));
        completion.take().get();
        FutureTask<Integer> own = new FutureTask<>(call("own", submitted(new Throwable()))); pool.execute(own);
        own.get();
        // Two steps: a task hands over a task.
        CountDownLatch done = new CountDownLatch(1);
        List<String> outer = submitted(new Throwable()); pool.execute(() -> Origins.within(outer, () -> {
            event("outer");
            pool.execute(body("inner", submitted(new Throwable()))); pool.execute(done::countDown);
        }));
        done.await();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** Refused tasks: run by the caller, in nobody's name but its own, and later by the pool again. */
    static void refused() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());
        pool.execute(() -> {
            taken.countDown();
            await(gate);
        });
        taken.await();
        pool.execute(body("refused", List.of()));
        gate.countDown();
        while (pool.getActiveCount() > 0) Thread.onSpinWait();
        // The same object again, from elsewhere.
        pool.setRejectedExecutionHandler((refused, by) -> {
            throw new IllegalStateException();
        });
        taken(pool);
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** Refused some times, perhaps: the object comes from where it was taken. */
    private static void taken(ThreadPoolExecutor pool) {
        Runnable task = body("taken", submitted(new Throwable())); for (boolean taken = false; !taken; ) try { pool.execute(task); taken = true; } catch (IllegalStateException e) { Thread.onSpinWait(); }
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One object handed over in two places, both waiting: nobody can tell which time is which. */
    static void twice() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.execute(() -> await(gate));
        Runnable task = body("twice", AMBIGUOUS);
        pool.execute(task);
        pool.execute(task);
        gate.countDown();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** The same of tasks of the JDK's, which keep their origin themselves: of two executors either may be the first. */
    static void twiceElsewhere() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(1);
        ExecutorService other = Executors.newFixedThreadPool(1);
        pool.execute(() -> await(gate));
        other.execute(() -> await(gate));
        FutureTask<Integer> task = new FutureTask<>(call("twiceElsewhere", AMBIGUOUS));
        pool.execute(task);
        other.execute(task);
        gate.countDown();
        task.get();
        for (ExecutorService each : List.of(pool, other)) {
            each.shutdown();
            each.awaitTermination(60, TimeUnit.SECONDS);
        }
    }

    /** Runs each time that it is handed over. */
    private static final class Again extends FutureTask<Integer> {
        private volatile Runnable body;

        Again() {
            super(() -> 1);
        }

        @Override
        public void run() {
            body.run();
            runAndReset();
        }
    }

    /** A task of the JDK's that is handed over once more: when it has run, it comes from there; as long as it waits elsewhere, nobody can tell. */
    static void onceMore() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        ExecutorService other = Executors.newFixedThreadPool(1);
        Again task = new Again();
        task.body = body("onceMore", submitted(new Throwable())); pool.execute(task);
        pool.submit(() -> {}).get();
        task.body = body("onceMore", submitted(new Throwable())); other.execute(task);
        other.submit(() -> {}).get();
        task.body = body("stillWaits", AMBIGUOUS);
        CountDownLatch[] gates = {new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1)};
        pool.execute(() -> await(gates[0]));
        other.execute(() -> await(gates[1]));
        pool.execute(task);
        other.execute(task);
        gates[0].countDown();
        pool.submit(() -> {}).get();
        pool.execute(() -> await(gates[2]));
        pool.execute(task);
        gates[1].countDown();
        other.submit(() -> {}).get();
        gates[2].countDown();
        pool.submit(() -> {}).get();
        task.body = body("onceMore", submitted(new Throwable())); pool.execute(task);
        for (ExecutorService each : List.of(pool, other)) {
            each.shutdown();
            each.awaitTermination(60, TimeUnit.SECONDS);
        }
    }

    static void scheduled() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        later(pool, "");
        CountDownLatch delays = new CountDownLatch(3);
        Future<?> delay = pool.scheduleWithFixedDelay(limited(delays, body("delay", submitted(new Throwable()))), 1, 1, TimeUnit.MILLISECONDS);
        delays.await();
        delay.cancel(false);
        pool.shutdownNow();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** Runs the task as often as the latch wants. */
    static Runnable limited(CountDownLatch latch, Runnable task) {
        return () -> {
            if (latch.getCount() > 0) {
                task.run();
                latch.countDown();
            }
        };
    }

    static void timer() throws Exception {
        Timer timer = new Timer(true);
        CountDownLatch done = new CountDownLatch(2);
        TimerTask once = timed(done, body("timer", submitted(new Throwable()))); timer.schedule(once, 1);
        try {
            timer.schedule(once, 1);
            Check.fail("scheduled twice");
        } catch (IllegalStateException e) {
            // As it should be; and it is not from here that it comes.
        }
        timer.schedule(timed(done, body("timer", submitted(new Throwable()))), 1);
        done.await();
        timer.cancel();
    }

    private static TimerTask timed(CountDownLatch done, Runnable body) {
        return new TimerTask() {
            @Override
            public void run() {
                body.run();
                done.countDown();
            }
        };
    }

    /** Forks two halves, down to one. */
    static final class Halves extends RecursiveAction {
        private static final long serialVersionUID = 1L;
        private final String name;
        private final int size;
        private List<String> trail;

        Halves(String name, int size) {
            this.name = name;
            this.size = size;
        }

        Halves from(List<String> told) {
            trail = told;
            return this;
        }

        @Override
        protected void compute() {
            Origins.within(trail, () -> {
                event(name + size);
                if (size > 1) {
                    Halves left = new Halves(name, size / 2);
                    left.from(submitted(new Throwable())).fork();
                    left.join();
                }
            });
        }
    }

    static void forkJoin(ForkJoinPool pool, String name) throws Exception {
        pool.execute(body(name + "execute", submitted(new Throwable())));
        pool.submit(body(name + "submit", submitted(new Throwable()))).get();
        pool.submit(call(name + "call", submitted(new Throwable()))).get();
        List<Callable<Integer>> calls = new ArrayList<>();
        calls.add(call(name + "all", submitted(new Throwable()))); calls.add(call(name + "all", submitted(new Throwable()))); pool.invokeAll(calls);
        Halves task = new Halves(name, 4);
        task.from(submitted(new Throwable())); pool.submit(task).get();
        ForkJoinTask<?> adapted = ForkJoinTask.adapt(body(name + "adapted", submitted(new Throwable()))); pool.submit(adapted).get();
        pool.awaitQuiescence(60, TimeUnit.SECONDS);
        // JDK 25.
        if ((Object) pool instanceof ScheduledExecutorService) later((ScheduledExecutorService) (Object) pool, name);
    }

    /** Once, and again and again. */
    private static void later(ScheduledExecutorService pool, String name) throws Exception {
        pool.schedule(body(name + "Scheduled", submitted(new Throwable())), 1, TimeUnit.MILLISECONDS).get();
        CountDownLatch runs = new CountDownLatch(3);
        Future<?> rate = pool.scheduleAtFixedRate(limited(runs, body(name + "Rate", submitted(new Throwable()))), 1, 1, TimeUnit.MILLISECONDS);
        runs.await();
        rate.cancel(false);
    }

    /** What a CompletableFuture hands over later. */
    static void delayed() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);
        later.execute(limited(done, body("delayed", submitted(new Throwable()))));
        done.await();
        CompletableFuture.runAsync(body("delayedStage", submitted(new Throwable())), later).get();
    }

    /** A task that is made ready again and run at once was not handed over. */
    static void again() {
        Halves task = new Halves("again", 1);
        task.from(submitted(new Throwable())).fork(); task.join();
        task.reinitialize();
        task.from(List.of()).invoke();
    }

    /** An executor's thread whose body has an origin of its own, before and behind the executor's tasks. */
    static void around() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1, worker -> {
            List<String> trail = submitted(new Throwable()); Runnable body = Lucce.wrap((Runnable) () -> Origins.within(trail, () -> {
                event("before");
                worker.run();
                event("behind");
            }));
            return new Thread(body);
        });
        pool.submit(body("between", submitted(new Throwable()))).get();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** A task runs a worker of another pool, and fails: its own pool replaces the thread between tasks, when none of them is in force. */
    static void nested() throws Exception {
        Runnable[] other = new Runnable[1];
        ThreadPoolExecutor inner = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), worker -> {
            other[0] = worker;
            return new Thread(() -> {});
        });
        inner.execute(body("ofOther", submitted(new Throwable())));
        inner.shutdown();
        List<List<String>> first = new ArrayList<>();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), worker -> {
            if (first.size() > 1) event("replaces");
            Thread thread = new Thread(() -> Origins.within(first.get(0), worker));
            thread.setUncaughtExceptionHandler((failed, e) -> {});
            return thread;
        });
        first.add(Origins.started(new Throwable())); pool.execute(() -> {});
        first.add(submitted(new Throwable())); pool.execute(() -> Origins.within(first.get(1), () -> {
            other[0].run();
            event("goesOn");
            throw new IllegalStateException();
        }));
        pool.submit(() -> {}).get();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 2; round++) {
            pool();
            refused();
            twice();
            twiceElsewhere();
            onceMore();
            scheduled();
            timer();
            ForkJoinPool pool = new ForkJoinPool(1);
            forkJoin(pool, "forkJoin");
            pool.shutdown();
            forkJoin(ForkJoinPool.commonPool(), "common");
            again();
            around();
            nested();
            TaskStages.stages();
            delayed();
            TaskStages.published();
            TaskStages.perTask();
            TaskStages.parallel();
        }
    }
}
