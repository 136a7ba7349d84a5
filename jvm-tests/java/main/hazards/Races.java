package hazards;

import hazards.plain.Asm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;

/** Many threads race through new edges, over a generated graph of classes, while versions change. */
public final class Races {
    static final int THREADS = 6;
    static final int WIDTH = 40;
    static final int DEPTH = 9;

    private Races() {}

    /** What every generated class is called through. */
    public abstract static class Step {
        public static final Step[] ALL = new Step[WIDTH];

        public abstract int go(int depth, int seed);

        /** The dispatch: a callee that differs from call to call. */
        public static int pick(int depth, int seed, int salt) {
            if (depth <= 0) {
                if (seed % 101 == 0) {
                    Check.here();
                }
                if (seed % 17 == 0) {
                    throw new IllegalStateException();
                }
                return 1;
            }
            return ALL[Math.floorMod(seed * 31 + salt, WIDTH)].go(depth - 1, seed * 1_103_515_245 + 12_345 + salt);
        }
    }

    /** One class with two call sites, a cycle back to pick, and a handler. */
    private static byte[] step(int n) {
        String self = "races/Step" + n;
        String parent = "hazards/Races$Step";
        Asm asm = new Asm(49, self, parent);
        asm.code().op(42).op2(183, asm.method(parent, "<init>", "()V")).op(177).end(Asm.PUBLIC, "<init>", "()V", 1, 1);
        asm.code()
                .label("from").op(27, 28).push(n).call(parent, "pick", "(III)I").op(62)
                .op(27, 5, 100, 28).push(n + 7).call(parent, "pick", "(III)I").op(29, 96, 172)
                .label("to").op(87, 27, 6, 100, 28).push(n + 13).call(parent, "pick", "(III)I").op(172)
                .handler("from", "to", "to")
                .end(Asm.PUBLIC, "go", "(II)I", 4, 4);
        return asm.finish();
    }

    static long walk(int thread, CyclicBarrier barrier) throws Exception {
        long sum = 0;
        for (int round = 0; round < 6; round++) {
            barrier.await();
            for (int i = 0; i < 12; i++) {
                int seed = round * 1000 + thread * 100 + i;
                try {
                    sum = sum * 31 + Step.pick(DEPTH, seed, i);
                } catch (IllegalStateException e) {
                    Check.here();
                    sum++;
                }
            }
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Bytes loader = new Bytes();
        for (int i = 0; i < WIDTH; i++) {
            Step.ALL[i] = (Step) loader.define("races.Step" + i, step(i)).getDeclaredConstructor().newInstance();
        }
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        long[] sums = new long[THREADS];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int n = i;
            Thread thread = new Thread(() -> {
                try {
                    sums[n] = walk(n, barrier);
                } catch (Exception e) {
                    Check.fail("" + e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(java.util.Arrays.toString(sums));
        Check.done("Races");
    }
}
