package hazards;

import java.lang.reflect.Method;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.lucce.Lucce;
import org.lucce.Measurement;
import org.lucce.NotMeasuredException;

/**
 * Measures what tasks do that it hands over, and knows what must come out: by itself, by several threads at a time in the same pools, and with tasks
 * that run on when their measurement is over. With the argument {@code none} no task is counted.
 */
public final class MeasuredTasks {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(3);
    private static final ExecutorService ALONE = Executors.newSingleThreadExecutor();
    private static final String OWN = "alloc java.lang.Object work lambda";
    /** Begins what a task has made. */
    private static final String MADE = OWN + " ";

    private static boolean counted = true;

    private MeasuredTasks() {}

    static void work(int times) {
        for (int i = 0; i < times; i++) Measured.sink = new Object();
    }

    static void submit(int times) throws Exception {
        POOL.submit(() -> work(times)).get();
    }

    static void supply(int times) {
        CompletableFuture.runAsync(() -> work(times)).thenRunAsync(() -> work(1)).join();
    }

    static void start(int times) throws Exception {
        Thread thread = new Thread(() -> work(times));
        thread.start();
        thread.join();
    }

    static void nest(int times) throws Exception {
        ALONE.submit(() -> {
            work(2);
            submit(times);
            return null;
        }).get();
    }

    static void stream(int times) {
        IntStream.range(0, times).parallel().forEach(i -> work(1));
    }

    static void virtual(int times) throws Exception {
        Method executor = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        ExecutorService each = (ExecutorService) executor.invoke(null);
        each.submit(() -> work(times)).get();
        each.shutdown();
        Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> work(1));
        thread.join();
    }

    interface Handed {
        void over(int times) throws Exception;
    }

    /** Sums as {@link Measured#text} writes them, of lines and numbers in turn. */
    private static String expected(Object... sums) {
        TreeMap<String, Long> lines = new TreeMap<>();
        for (int i = 0; i < sums.length; i += 2) {
            String line = (String) sums[i];
            long number = (Integer) sums[i + 1];
            if (number > 0 && (counted || !line.startsWith(MADE))) lines.merge(line, number, Long::sum);
        }
        return lines.toString();
    }

    private static void check(Handed handed, int times, Object... sums) throws Exception {
        Measurement measured = Lucce.measure(() -> handed.over(times));
        Check.equal(expected(sums), Measured.text(measured));
    }

    private static void all(int times) throws Exception {
        check(MeasuredTasks::submit, times, MADE + "submit lambda", times);
        check(MeasuredTasks::supply, times, MADE + "supply lambda", times + 1);
        check(MeasuredTasks::start, times, MADE + "start lambda", times, "alloc java.lang.Thread start lambda", 1);
        check(MeasuredTasks::nest, times, MADE + "nest lambda", 2, MADE + "submit lambda nest lambda", times);
        if (counted) check(MeasuredTasks::stream, times, MADE + "stream lambda", times);
        if (Runtime.version().feature() >= 21) virtual(times, "virtual lambda");
    }

    /** The calls by reflection make arrays. */
    private static void virtual(int times, String way) throws Exception {
        check(MeasuredTasks::virtual, times, MADE + way, times + 1, "alloc java.lang.Object[] " + way, 2, "alloc java.lang.Class[] " + way, 2);
    }

    /** A task of another's measurement has a measurement of its own. */
    private static void within() throws Exception {
        Measurement[] inner = new Measurement[1];
        Measurement outer = Lucce.measure(() -> ALONE.submit(() -> {
            inner[0] = Lucce.measure(() -> {
                work(2);
                submit(3);
            });
            return null;
        }).get());
        Check.equal(expected(OWN, 2, MADE + "submit lambda", 3), Measured.text(inner[0]));
        Check.equal(expected(MADE + "lambda lambda", 2, MADE + "submit lambda lambda lambda", 3), Measured.text(outer));
    }

    /** Hands over a task that waits in its middle. */
    private static Future<?> hold(CountDownLatch gate) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Future<?> task = POOL.submit(() -> {
            work(2);
            begun.countDown();
            gate.await();
            work(3);
            return null;
        });
        begun.await();
        return task;
    }

    /** What a task does later counts in no measurement, that of the same place neither. */
    private static void late() throws Exception {
        CountDownLatch[] gates = {new CountDownLatch(1), new CountDownLatch(1)};
        Future<?>[] tasks = new Future<?>[2];
        String latch = "alloc java.util.concurrent.CountDownLatch hold lambda";
        for (int i = 0; i < 2; i++) {
            int number = i;
            Measurement measured = Lucce.measure(() -> {
                tasks[number] = hold(gates[number]);
                if (number == 0) return;
                for (int each = 0; each < 2; each++) {
                    gates[each].countDown();
                    tasks[each].get();
                }
            });
            Check.equal(expected(MADE + "hold lambda", number == 0 ? 2 : 5, latch, 1), Measured.text(measured));
        }
    }

    private static String unknown(Handed handed) throws Exception {
        try {
            return Measured.text(Lucce.measure(() -> handed.over(1)));
        } catch (NotMeasuredException e) {
            return e.getMessage().replaceAll(": .*", "");
        }
    }

    /** One and the same task waits in two places: that is said, and disturbs no other measurement where both are of one. */
    private static void ambiguous() throws Exception {
        String unknown = "some of what was counted meanwhile has no known context, or is of a task with no known origin";
        Runnable task = () -> work(1);
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch twice = new CountDownLatch(1);
        FutureTask<String> beside = new FutureTask<>(() -> Measured.text(Lucce.measure(() -> {
            twice.await();
            work(4);
        })));
        new Thread(beside).start();
        ALONE.submit(() -> {
            gate.await();
            return null;
        });
        Check.equal(counted ? unknown : "{}", unknown(times -> {
            ALONE.execute(task);
            ALONE.execute(task);
            gate.countDown();
            ALONE.submit(() -> null).get();
        }));
        twice.countDown();
        Check.equal(expected(OWN, 4), beside.get());
    }

    /** It waits for two measurements: the first is over before it runs. */
    private static void shared() throws Exception {
        Runnable task = () -> work(1);
        CountDownLatch gate = new CountDownLatch(1);
        ALONE.submit(() -> {
            gate.await();
            return null;
        });
        Check.equal("{}", unknown(times -> ALONE.execute(task)));
        String said = unknown(times -> {
            ALONE.execute(task);
            gate.countDown();
            ALONE.submit(() -> null).get();
        });
        Check.equal(!counted, said.equals("{}"));
    }

    public static void main(String[] args) throws Exception {
        counted = args.length == 0;
        for (int times : new int[] {0, 1, 7, 7, 1_000}) all(times);
        Measured.together(6, 5, (times, together) -> {
            Measured.await(together);
            all(times);
        });
        within();
        late();
        ambiguous();
        shared();
        // The lanes are free again.
        all(3);
        POOL.shutdown();
        ALONE.shutdown();
        System.out.println("measured");
    }
}
