package hazards;

import static hazards.JdkFrames.equal;
import static hazards.JdkFrames.here;
import static hazards.JdkFrames.items;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.TimeUnit;

/** Frames of the JDK below which threads and tasks begin, for {@link JdkFrames}. */
final class JdkThreads {
    private JdkThreads() {}

    static final class Sum extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int n;

        Sum(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            if (n < 2) {
                return here(n);
            }
            Sum other = new Sum(n / 2);
            other.fork();
            return new Sum(n - n / 2).compute() + other.join();
        }
    }

    static void threads() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int n = i;
                tasks.add(() -> here(n));
                pool.execute(() -> here(n));
            }
            int sum = 0;
            for (var future : pool.invokeAll(tasks)) {
                sum += future.get();
            }
            equal(15, sum);
            equal(12, CompletableFuture.supplyAsync(() -> here(3), pool).thenApplyAsync(n -> here(n + 1), pool).thenApply(n -> here(3 * n)).get());
        } finally {
            pool.shutdown();
            equal(true, pool.awaitTermination(60, TimeUnit.SECONDS));
        }
        equal(8, new ForkJoinPool(2).invoke(new Sum(8)));
        Thread thread = new Thread(() -> here(5));
        thread.start();
        thread.join();
        CountDownLatch latch = new CountDownLatch(1);
        Timer timer = new Timer(true);
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        here(6);
                        latch.countDown();
                    }
                },
                1);
        latch.await();
        timer.cancel();
        virtual();
    }

    /** A virtual thread, where there are any. */
    static void virtual() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Runnable task = () -> {
                for (int n = 0; n < 4; n++) {
                    here(n);
                    try {
                        Thread.sleep(1);
                    } catch (InterruptedException e) {
                        return;
                    }
                    items(3).forEach(item -> here(item.id));
                }
            };
            threads.add((Thread) start.invoke(null, task));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
