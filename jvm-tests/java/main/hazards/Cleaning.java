package hazards;

import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Finalizers, Cleaner and reference queues: code on the JVM's own threads. */
public final class Cleaning {
    static final int COUNT = 50;
    static final AtomicInteger FINALIZED = new AtomicInteger();
    static final AtomicInteger CLEANED = new AtomicInteger();
    static Object sink;

    private Cleaning() {}

    static int leaf(int n) {
        Check.here();
        return n <= 0 ? 0 : leaf(n - 1) + 1;
    }

    static class Finalizable {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            leaf(2);
            FINALIZED.incrementAndGet();
            throw new IllegalStateException("ignored by the finalizer thread");
        }
    }

    static final class Second extends Finalizable {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            try {
                super.finalize();
            } finally {
                leaf(1);
            }
        }
    }

    static void litter(Cleaner cleaner) {
        for (int i = 0; i < COUNT; i++) {
            sink = i % 2 == 0 ? new Finalizable() : new Second();
            int n = i;
            cleaner.register(new Object(), () -> {
                leaf(n % 4);
                CLEANED.incrementAndGet();
            });
        }
        sink = null;
    }

    public static void main(String[] args) throws InterruptedException {
        Cleaner cleaner = Cleaner.create();
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Reference<Object> phantom = new PhantomReference<>(new Object(), queue);
        litter(cleaner);
        long end = System.nanoTime() + 60_000_000_000L;
        while ((FINALIZED.get() < COUNT || CLEANED.get() < COUNT) && System.nanoTime() < end) {
            System.gc();
            byte[][] pressure = new byte[16][];
            for (int i = 0; i < pressure.length; i++) {
                pressure[i] = new byte[leaf(1) << 16];
            }
            Thread.sleep(10);
        }
        Check.equal(phantom, queue.remove(10_000));
        System.out.println(FINALIZED.get() + " " + CLEANED.get());
        Check.doneRacy("Cleaning");
    }
}
