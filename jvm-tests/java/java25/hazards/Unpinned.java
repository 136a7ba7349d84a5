package hazards;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that wait for monitors, and block while they hold them: since JDK 24 they leave their carriers then. And scoped values (JDK 25). */
public final class Unpinned {
    private static final Object LOCK = new Object();
    private static final ScopedValue<Integer> DEPTH = ScopedValue.newInstance();

    private Unpinned() {}

    static int held(int depth, int n) throws Exception {
        if (depth == 0) return blocks(n);
        synchronized (LOCK) {
            return 1 + scoped(depth - 1, n);
        }
    }

    static int scoped(int depth, int n) throws Exception {
        if (n % 3 != 0) return held(depth, n + 1);
        return ScopedValue.where(DEPTH, depth).call(() -> held(depth, n + 2)) + (DEPTH.isBound() ? 1 : 0);
    }

    /** Blocks in one of several ways, most often with the monitor held. */
    static int blocks(int n) throws Exception {
        Check.here();
        switch (n % 5) {
            case 0 -> Thread.yield();
            case 1 -> Thread.sleep(0, 100_000);
            case 2 -> {
                synchronized (LOCK) {
                    LOCK.wait(1);
                }
            }
            case 3 -> LockSupport.parkNanos(1000);
            default -> {
                return thrown(n);
            }
        }
        Check.here();
        return DEPTH.orElse(7);
    }

    static int thrown(int n) {
        try {
            synchronized (LOCK) {
                throw new IllegalStateException("n" + n);
            }
        } catch (IllegalStateException e) {
            Check.here();
            return e.getMessage().length();
        }
    }

    /** Initialised by one of the virtual threads, while the others wait for it. */
    static final class Late {
        static final int VALUE = value();

        private Late() {}

        private static int value() {
            try {
                return held(4, 1) + held(3, 2);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static Runnable task(int number, int[] sums) {
        return () -> {
            try {
                int sum = Late.VALUE;
                for (int n = 0; n < 8; n++) sum += held(number % 9, number + n);
                sums[number] = sum;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
    }

    public static void main(String[] args) throws Exception {
        int[] sums = new int[60];
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < sums.length; n++) threads.add(n % 20 == 0 ? new Thread(task(n, sums)) : Thread.ofVirtual().unstarted(task(n, sums)));
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        int all = 0;
        for (int sum : sums) all = all * 31 + sum;
        System.out.println(all);
        Check.done("Unpinned");
    }
}
