package hazards;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.lucce.Lucce;

/**
 * A task that found no room in its bucket of those that wait, and is handed over again while it still waits: the event of its first run is not to be
 * from where it was handed over the second time. Another that was put into the queue past the executor, and runs between, says nothing of it.
 */
public final class TurnedAway {
    /** Tasks in a bucket, and buckets: as in LucceTasks. */
    private static final int MOST = 16;
    private static final int BUCKETS = 1 << 12;

    private TurnedAway() {}

    private static final class Task implements Runnable {
        Runnable body = () -> { };

        @Override
        public void run() {
            body.run();
        }
    }

    /** Tasks of one bucket. */
    private static List<Task> alike(int count) {
        Map<Integer, List<Task>> all = new HashMap<>();
        while (true) {
            Task task = new Task();
            List<Task> bucket = all.computeIfAbsent(System.identityHashCode(task) & BUCKETS - 1, key -> new ArrayList<>());
            bucket.add(task);
            if (bucket.size() == count) return bucket;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void first(ThreadPoolExecutor pool, Runnable task) {
        pool.execute(task);
    }

    static void second(ThreadPoolExecutor pool, Runnable task) {
        pool.execute(task);
    }

    public static void main(String[] args) throws Exception {
        List<Task> tasks = alike(MOST + 2);
        Task past = tasks.get(0), away = tasks.get(MOST + 1), last = tasks.get(MOST);
        CountDownLatch gate = new CountDownLatch(1), reached = new CountDownLatch(1), end = new CountDownLatch(1);
        away.body = () -> Lucce.event("away", 1);
        last.body = () -> {
            reached.countDown();
            await(end);
        };
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        pool.execute(() -> await(gate));
        pool.getQueue().add(past);
        for (Task task : tasks.subList(1, MOST + 1)) pool.execute(task);
        first(pool, away);
        gate.countDown();
        await(reached);
        // There is room again.
        second(pool, away);
        end.countDown();
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }
}
