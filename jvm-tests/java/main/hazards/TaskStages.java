package hazards;

import static hazards.Origins.body;
import static hazards.Origins.event;
import static hazards.Tasks.await;
import static hazards.Tasks.call;
import static hazards.Tasks.limited;
import static hazards.Tasks.submitted;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Tasks of {@link Tasks} that no pool of threads takes: stages, subscribers, threads for each task, parallel streams. */
final class TaskStages {
    private TaskStages() {}

    static void stages() throws Exception {
        CompletableFuture.runAsync(body("runAsync", submitted(new Throwable()))).get();
        CompletableFuture<Integer> gate = new CompletableFuture<>();
        List<String> supply = submitted(new Throwable()); CompletableFuture<Integer> supplied = CompletableFuture.supplyAsync(() -> {
            body("supplyAsync", supply).run();
            return gate.join();
        });
        List<String> apply = submitted(new Throwable()); CompletableFuture<Integer> applied = supplied.thenApplyAsync(n -> {
            body("thenApplyAsync", apply).run();
            return n + 1;
        });
        ExecutorService pool = Executors.newFixedThreadPool(1);
        List<String> accept = submitted(new Throwable()); CompletableFuture<Void> accepted = applied.thenAcceptAsync(n -> body("thenAcceptAsync", accept).run(), pool);
        List<String> own = submitted(new Throwable()); CompletableFuture<Void> owned = applied.thenRunAsync(body("ownExecutor", own), task -> new Thread(task).start());
        List<String> ownSupply = submitted(new Throwable()); CompletableFuture<Void> ownRun = CompletableFuture.runAsync(body("ownRun", ownSupply), task -> new Thread(task).start());
        gate.complete(1);
        accepted.get();
        owned.get();
        ownRun.get();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** Runs what it is told at the subscription, and each item. */
    private static final class Listener implements Flow.Subscriber<Runnable> {
        private final Runnable subscribed;
        private volatile Runnable completed = () -> {};

        Listener(Runnable subscribed) {
            this.subscribed = subscribed;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
            subscribed.run();
        }

        @Override
        public void onNext(Runnable item) {
            item.run();
        }

        @Override
        public void onError(Throwable error) {
            throw new IllegalStateException(error);
        }

        @Override
        public void onComplete() {
            completed.run();
        }
    }

    /** A publisher's subscriber runs where the publisher finds it idle: at the subscription, and at each item behind the last one. */
    static void published() throws Exception {
        List<Thread> threads = new ArrayList<>();
        SubmissionPublisher<Runnable> own = new SubmissionPublisher<>(task -> {
            threads.add(new Thread(task));
            threads.get(threads.size() - 1).start();
        }, 4);
        Listener listener = new Listener(body("subscribed", submitted(new Throwable()))); own.subscribe(listener);
        threads.get(0).join();
        own.submit(body("published", submitted(new Throwable())));
        threads.get(1).join();
        listener.completed = body("completed", submitted(new Throwable())); own.close();
        threads.get(2).join();
        CountDownLatch done = new CountDownLatch(1);
        SubmissionPublisher<Runnable> common = new SubmissionPublisher<>();
        common.subscribe(new Listener(limited(done, body("subscribedCommon", submitted(new Throwable())))));
        done.await();
    }

    /** Executors that start a thread for each task (JDK 21 and later): virtual ones, and others. */
    static void perTask() throws Exception {
        ExecutorService threads;
        ExecutorService virtual;
        try {
            virtual = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
            threads = perTask(Thread::new);
        } catch (NoSuchMethodException e) {
            return;
        }
        perTask(virtual, "virtual");
        perTask(threads, "thread");
        // A thread that has been started cannot be started for the task, and stays where it came from.
        CountDownLatch gate = new CountDownLatch(1);
        Thread[] made = new Thread[1];
        made[0] = afterwards(gate, body("running", Origins.started(new Throwable()))); made[0].start();
        Thread running = made[0];
        ExecutorService odd = perTask(task -> running);
        try {
            odd.execute(body("never", List.of()));
            Check.fail("started twice");
        } catch (IllegalThreadStateException e) {
            // As it should be.
        }
        gate.countDown();
        running.join();
        odd.shutdownNow();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Thread afterwards(CountDownLatch gate, Runnable body) {
        return new Thread(() -> {
            await(gate);
            body.run();
        });
    }

    private static ExecutorService perTask(ThreadFactory factory) throws Exception {
        return (ExecutorService) Executors.class.getMethod("newThreadPerTaskExecutor", ThreadFactory.class).invoke(null, factory);
    }

    private static void perTask(ExecutorService pool, String name) throws Exception {
        pool.execute(body(name + "Execute", submitted(new Throwable())));
        pool.submit(body(name + "Submit", submitted(new Throwable()))).get();
        pool.submit(call(name + "Call", submitted(new Throwable()))).get();
        List<Callable<Integer>> calls = new ArrayList<>();
        calls.add(call(name + "All", submitted(new Throwable()))); calls.add(call(name + "All", submitted(new Throwable()))); pool.invokeAll(calls);
        List<Callable<Integer>> any = new ArrayList<>();
        any.add(call(name + "Any", submitted(new Throwable()))); pool.invokeAny(any);
        CompletableFuture.runAsync(body(name + "Stage", submitted(new Throwable())), pool).get();
        // A task that hands over another, and one that starts a thread.
        List<String> outer = submitted(new Throwable()); pool.submit(() -> Origins.within(outer, () -> {
            event(name + "Outer");
            pool.execute(body(name + "Inner", submitted(new Throwable())));
            Thread thread = new Thread(body(name + "Started", Origins.started(new Throwable()))); thread.start();
            join(thread);
        })).get();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** The parts of a parallel stream that others than the caller run. */
    static void parallel() {
        List<String> trail = submitted(new Throwable()); IntStream.range(0, 400).parallel().forEach(n -> part(trail));
    }

    /** The caller waits in its first part until the others are done: as a task of its own, a later one would hand over parts once more. */
    private static void part(List<String> trail) {
        if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
            body("parallel", trail).run();
            return;
        }
        ForkJoinPool pool = ForkJoinPool.commonPool();
        while (ForkJoinPool.getCommonPoolParallelism() > 0 && (pool.hasQueuedSubmissions() || !pool.isQuiescent())) Thread.onSpinWait();
    }
}
