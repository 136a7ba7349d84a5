package hazards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntUnaryOperator;

/** Daemon threads that are in the midst of calls and callbacks while the JVM ends; one of them calls what nobody has called before. */
public final class Dying {
    private Dying() {}

    /** Public, for the copies are of another package at run time. */
    public static int compare(int a, int b) {
        return difference(a, b);
    }

    private static int difference(int a, int b) {
        return Integer.compare(a, b);
    }

    private static void sort() {
        List<Integer> list = new ArrayList<>(Arrays.asList(3, 2, 1, 5, 4));
        list.sort((a, b) -> compare(a, b));
    }

    /** Copied into a loader of its own each time: all of its entries are first ones. */
    public static final class Fresh implements IntUnaryOperator {
        @Override
        public int applyAsInt(int depth) {
            return depth == 0 ? compare(depth, 1) : applyAsInt(depth - 1) + own(depth);
        }

        private static int own(int n) {
            return compare(n, 2);
        }
    }

    private static void fresh() {
        try {
            Class<?> copy = new Bytes().copy("hazards.Dying$Fresh");
            ((IntUnaryOperator) copy.getDeclaredConstructor().newInstance()).applyAsInt(3);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void outlive(Runnable work, CountDownLatch started) {
        Thread thread = new Thread(() -> {
            work.run();
            started.countDown();
            for (;;) {
                work.run();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch started = new CountDownLatch(4);
        for (int i = 0; i < 3; i++) {
            outlive(Dying::sort, started);
        }
        outlive(Dying::fresh, started);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            for (int i = 0; i < 200; i++) {
                compare(i, 2);
            }
            System.out.println("hook");
        }));
        started.await();
        Thread.sleep(20);
        System.exit(compare(7, 3) + 6);
    }
}
