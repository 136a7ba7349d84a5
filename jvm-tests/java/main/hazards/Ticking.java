package hazards;

import java.lang.reflect.Method;
import java.util.function.LongUnaryOperator;

/** One thread computes, one wakes up often to do nearly nothing. Argument: how many virtual threads compute, too. */
public final class Ticking {
    static volatile boolean over;
    static volatile long result;
    /** May be anything, so who calls it has hooks. */
    static LongUnaryOperator step = n -> Math.floorMod(n * 31L, 1009L);

    private Ticking() {}

    static long leaf(long n) {
        return step.applyAsLong(n);
    }

    static long work(long n) {
        return n == 0 ? leaf(n) : work(n - 1) + leaf(n);
    }

    static void compute(int millis) {
        long end = System.nanoTime() + millis * 1_000_000L;
        long sum = 0;
        while (System.nanoTime() - end < 0) {
            sum += work(20);
        }
        result = sum;
    }

    static void wake() {
        leaf(work(1));
    }

    static void idle() {
        while (!over) {
            try {
                Thread.sleep(15);
            } catch (InterruptedException e) {
                return;
            }
            wake();
        }
    }

    public static void main(String[] args) throws Exception {
        int virtual = args.length > 0 ? Integer.parseInt(args[0]) : 0;
        Thread idle = new Thread(() -> idle(), "idle");
        idle.start();
        if (virtual > 0) {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            Runnable body = () -> compute(30);
            Thread[] all = new Thread[virtual];
            for (int i = 0; i < virtual; i++) {
                all[i] = (Thread) start.invoke(null, body);
            }
            for (Thread thread : all) {
                thread.join();
            }
        } else {
            compute(600);
        }
        over = true;
        idle.join();
        System.out.println("Ticking: ok");
    }
}
