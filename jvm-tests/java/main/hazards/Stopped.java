package hazards;

import java.util.function.IntConsumer;
import org.lucce.Lucce;

/** A thread is stopped again and again, wherever it is (JDK 11 and 17); it catches that within recursion, and goes on. */
@SuppressWarnings("removal")
public class Stopped {
    private static final int STOPS = Integer.getInteger("stops", 400);
    private static volatile int sum;
    private static volatile int caught;
    private static volatile int rounds;
    private static volatile boolean ended;
    private static final IntConsumer ADDED = n -> sum += n;

    public static void main(String[] arguments) throws Exception {
        after(1);
        Thread worker = null;
        for (int n = 0; n < STOPS; n++) {
            if (worker == null || !worker.isAlive()) {
                int before = rounds;
                worker = new Thread(Stopped::work);
                worker.start();
                while (rounds == before && worker.isAlive()) Thread.onSpinWait();
            }
            int before = caught;
            int until = rounds + n % 13;
            while (rounds < until && worker.isAlive()) Thread.onSpinWait();
            worker.stop();
            // Interpreted code looks for it when it is asked for something. What strikes within Lucce's own API ends there.
            until = rounds + 20;
            while (caught == before && rounds < until && worker.isAlive()) worker.getStackTrace();
        }
        ended = true;
        worker.join();
        System.out.println("ended");
    }

    private static void work() {
        while (!ended) {
            try {
                while (!ended) {
                    rounds++;
                    round(6);
                }
            } catch (ThreadDeath e) {
                caught++;
            }
        }
    }

    /** Wherever it struck, the activations that are left go on. */
    private static int round(int n) {
        try {
            return n == 0 ? down(8) : round(n - 1);
        } catch (ThreadDeath e) {
            if (n % 2 == 0) throw e;
            caught++;
            return after(n);
        }
    }

    private static int down(int n) {
        ADDED.accept(n);
        return n == 0 ? 0 : 1 + down(n - 1);
    }

    private static int after(int n) {
        Lucce.event("caught", n);
        return down(2);
    }
}
