package hazards;

import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Thread pools, timers, fork-join and completion stages: threads that enter again and again from the JDK's own code. */
public final class ThreadPools {
    static final AtomicInteger SUM = new AtomicInteger();

    private ThreadPools() {}

    static int work(int n) {
        Check.here();
        if (n == 13) {
            throw new IllegalStateException("unlucky");
        }
        return n <= 1 ? 1 : work(n / 2) + 1;
    }

    static final class Summing extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1L;
        private final int from;
        private final int to;

        Summing(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from < 4) {
                return work(from % 7);
            }
            int middle = (from + to) / 2;
            Summing left = new Summing(from, middle);
            left.fork();
            int right = new Summing(middle, to).compute();
            Check.here();
            return left.join() + right;
        }
    }

    static int pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3, body -> {
            Check.here();
            return new Thread(() -> {
                Check.here();
                body.run();
                Check.here();
            });
        });
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            int n = i;
            futures.add(pool.submit(() -> work(n)));
        }
        int sum = 0;
        for (Future<Integer> future : futures) {
            try {
                sum += future.get();
            } catch (ExecutionException e) {
                sum += work(3);
            }
        }
        pool.execute(() -> work(5));
        sum += pool.invokeAll(List.of(() -> work(4), () -> work(5))).size();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
        return sum;
    }

    static int forkJoin() {
        ForkJoinPool pool = new ForkJoinPool(3);
        int sum = pool.invoke(new Summing(0, 200)) + new Summing(0, 50).compute();
        pool.shutdown();
        return sum;
    }

    static int stages() throws Exception {
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> work(9));
        CompletableFuture<Integer> second = first.thenApply(n -> work(n)).thenCombine(CompletableFuture.supplyAsync(() -> work(6)), (a, b) -> work(a + b));
        CompletableFuture<Integer> failed = first.thenApplyAsync(n -> work(13)).exceptionally(e -> work(2)).whenComplete((r, e) -> work(1));
        return second.thenCompose(n -> CompletableFuture.completedFuture(work(n))).get() + failed.get();
    }

    static void timers() throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(6);
        Timer timer = new Timer("timer", true);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                SUM.addAndGet(latch.getCount() > 0 ? work(2) * 0 : 0);
                latch.countDown();
            }
        }, 1, 1);
        ScheduledExecutorService scheduled = Executors.newScheduledThreadPool(1);
        scheduled.scheduleAtFixedRate(() -> {
            work(3);
            latch.countDown();
        }, 1, 1, TimeUnit.MILLISECONDS);
        latch.await();
        timer.cancel();
        scheduled.shutdownNow();
        scheduled.awaitTermination(60, TimeUnit.SECONDS);
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int round = 0; round < 6; round++) {
            sum += pool() + forkJoin() + stages();
            timers();
        }
        System.out.println(sum + SUM.get());
        Check.doneRacy("ThreadPools");
    }
}
