package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A warehouse of two shelves behind monitors, and three threads that put goods there and take stock: most of what they do is done under a
 * monitor, so one of them often waits for another. What is there in the end does not depend on who came first.
 */
public final class Monitors implements Program {
    private static final int THREADS = 3;
    private static final int ORDERS = 60_000;
    private static final int KINDS = 512;

    private final List<Shelf> shelves = new ArrayList<>();

    /** So many of each kind of goods. */
    static final class Shelf {
        private final long[] goods = new long[KINDS];

        /** Waits at the call of the method. */
        synchronized void put(int kind, int number) {
            goods[kind] += number;
            for (int i = 0; i < KINDS; i++) goods[i] = spread(goods[i], kind);
        }

        /** Waits within the method. */
        long stock() {
            long stock = 0;
            synchronized (this) {
                for (long number : goods) stock += spread(number, 0);
            }
            return stock;
        }

        private static long spread(long number, int kind) {
            return number + (long) kind * 3;
        }
    }

    @Override
    public void prepare(Place place) {}

    @Override
    public void before() {
        shelves.clear();
        shelves.add(new Shelf());
        shelves.add(new Shelf());
    }

    @Override
    public void iterate() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom random = new SplittableRandom(i);
            Thread thread = new Thread(() -> work(random));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
    }

    private void work(SplittableRandom random) {
        for (int i = 0; i < ORDERS; i++) {
            Shelf shelf = shelves.get(random.nextInt(shelves.size()));
            shelf.put(random.nextInt(KINDS), 1 + random.nextInt(9));
            if (i % 4 == 0 && shelf.stock() <= 0) throw new IllegalStateException("an empty shelf");
        }
    }

    @Override
    public long validate() {
        Digest digest = new Digest();
        for (Shelf shelf : shelves) digest.add(shelf.stock());
        return digest.value();
    }
}
