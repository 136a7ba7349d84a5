package hazards;

import org.lucce.Lucce;

/**
 * A recursion that has gone deep while nobody asked; then somebody asks at its end, a few times, and each activation begins another round of its loop on
 * the way back.
 */
public final class Deepening {
    private static final int DEPTH = 8_000;
    private static final int ASKS = 12;
    private static long known;

    private Deepening() {}

    static int visit(int left) {
        int sum = 0;
        for (int child = 0; child < 2; child++) {
            if (child == 1) sum += touch(left);
            else if (left > 0) sum += visit(left - 1);
            else ask();
        }
        return sum;
    }

    static int touch(int left) {
        return left & 1;
    }

    static void ask() {
        for (int i = 0; i < ASKS; i++) known |= Lucce.capture();
    }

    public static void main(String[] args) throws InterruptedException {
        int[] sum = new int[1];
        Thread thread = new Thread(null, () -> sum[0] = visit(DEPTH), "deep", 512L << 20);
        thread.start();
        thread.join();
        Check.equal(Lucce.active(), known != 0);
        System.out.println("sum " + sum[0]);
    }
}
