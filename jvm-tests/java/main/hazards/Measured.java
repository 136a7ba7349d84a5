package hazards;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import org.lucce.Lucce;
import org.lucce.Measurement;
import org.lucce.NotMeasuredException;
import org.lucce.Tally;

/**
 * Measures what it does, and knows what must come out: by itself, one measurement within another, and by several threads that do the same at the
 * same time, each so often as its number says. Without the agent, and where nothing is counted, it prints why there are no numbers.
 */
public final class Measured {
    static volatile Object sink;

    private Measured() {}

    static void make(int times) {
        for (int i = 0; i < times; i++) {
            sink = new Object();
            sink = new int[i];
            recur(i % 3);
        }
    }

    static void recur(int depth) {
        sink = new StringBuilder[2];
        if (depth > 0) recur(depth - 1);
    }

    static final class Initialised {
        static final Object FIRST = new Object();
    }

    /** Kind, class, methods from the innermost outwards, and number, of each sum. */
    static String text(Measurement measured) {
        TreeMap<String, Long> lines = new TreeMap<>();
        for (Tally tally : measured.tallies()) {
            StringBuilder line = new StringBuilder(tally.kind() + " " + tally.className());
            for (StackTraceElement frame : measured.trace(tally)) line.append(' ').append(frame.getMethodName().replaceAll("lambda.*", "lambda"));
            lines.merge(line.toString(), tally.count(), Long::sum);
        }
        return lines.toString();
    }

    private static String expected(int times) {
        TreeMap<String, Long> lines = new TreeMap<>();
        for (int i = 0; i < times; i++) {
            lines.merge("alloc java.lang.Object make lambda", 1L, Long::sum);
            lines.merge("alloc int[] make lambda", 1L, Long::sum);
            StringBuilder way = new StringBuilder("make lambda");
            for (int depth = 0; depth <= i % 3; depth++) {
                way.insert(0, "recur ");
                lines.merge("entry null " + way, 1L, Long::sum);
                lines.merge("alloc java.lang.StringBuilder[] " + way, 1L, Long::sum);
            }
        }
        return lines.toString();
    }

    private static void check(int times) {
        Measurement measured = Lucce.measure(() -> make(times));
        Check.equal(expected(times), text(measured));
    }

    interface Round {
        void run(int number, CyclicBarrier together) throws Exception;
    }

    /** So many threads run it so often at the same time, each with its number. */
    static void together(int threads, int rounds, Round body) throws InterruptedException {
        CyclicBarrier together = new CyclicBarrier(threads);
        List<String> failed = new ArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int number = 1; number <= threads; number++) {
            int own = number;
            Thread thread = new Thread(() -> {
                try {
                    for (int round = 0; round < rounds; round++) body.run(own, together);
                } catch (Throwable e) {
                    synchronized (failed) {
                        failed.add(e.toString());
                    }
                }
            });
            all.add(thread);
            thread.start();
        }
        for (Thread thread : all) thread.join();
        Check.equal(Arrays.asList(), failed);
    }

    static void await(CyclicBarrier together) {
        try {
            together.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void within() {
        Measurement[] inner = new Measurement[1];
        Measurement outer = Lucce.measure(() -> {
            make(2);
            inner[0] = Lucce.measure(() -> make(3));
        });
        Check.equal(expected(3), text(inner[0]));
        // The inner call is a frame of the outer's body.
        String both = text(outer);
        Check.equal(true, both.contains("alloc java.lang.Object make lambda=2") && both.contains("alloc java.lang.Object make lambda lambda=3"));
    }

    private static void thrown() {
        try {
            Lucce.measure(() -> {
                throw new IOException("thrown");
            });
            throw new AssertionError("nothing was thrown");
        } catch (IOException e) {
            Check.equal("thrown", e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        boolean[] ran = new boolean[1];
        try {
            Lucce.measure(() -> ran[0] = true);
        } catch (NotMeasuredException e) {
            System.out.println(e.getMessage() + (ran[0] ? ", but it ran" : ""));
            return;
        }
        for (int times : new int[] {0, 1, 7, 7, 5_000}) check(times);
        Measurement first = Lucce.measure(() -> sink = Initialised.FIRST);
        Check.equal("{alloc java.lang.Object <clinit> lambda=1}", text(first));
        Check.equal("{}", text(Lucce.measure(() -> sink = Initialised.FIRST)));
        Check.equal(true, first.counts("alloc") && first.counts("entry") && !first.counts("cpu"));
        Check.equal(1L, first.allocations());
        Check.equal(0L, first.calls());
        Check.equal(true, first.allocatedBytes() > 0);
        within();
        thrown();
        together(9, 20, (times, together) -> {
            Measurement measured = Lucce.measure(() -> {
                await(together);
                make(times);
                await(together);
            });
            Check.equal(expected(times), text(measured));
        });
        // The lanes are free again.
        check(3);
        System.out.println("measured");
    }
}
