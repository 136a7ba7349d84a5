package hazards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Daemon threads that are in the midst of calls and callbacks while the JVM ends. */
public final class Dying {
    private Dying() {}

    static int compare(int a, int b) {
        return difference(a, b);
    }

    private static int difference(int a, int b) {
        return Integer.compare(a, b);
    }

    private static void sort() {
        List<Integer> list = new ArrayList<>(Arrays.asList(3, 2, 1, 5, 4));
        list.sort((a, b) -> compare(a, b));
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch started = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> {
                sort();
                started.countDown();
                for (;;) {
                    sort();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
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
