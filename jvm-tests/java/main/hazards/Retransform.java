package hazards;

import agents.Retransformer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** A class retransformed by another agent while its methods are on the stack, of this thread and of another. */
public final class Retransform {
    private Retransform() {}

    static final class Body {
        private final int field = Outer.leaf(1);

        static String version() {
            Outer.leaf(2);
            return "version 0";
        }

        /** Changes its own class half-way up; the frames below are then of an obsolete method. */
        static String recurse(int n, int change, String before, String after) throws Exception {
            String inner;
            if (n == change) {
                Retransformer.change(Body.class, before, after, () -> Outer.leaf(3));
                inner = version();
            } else {
                inner = n == 0 ? version() : recurse(n - 1, change, before, after);
            }
            Check.here();
            return inner + (new Body().field > 0 ? "" : version());
        }

        static int spin(AtomicBoolean stop, CountDownLatch started) {
            int rounds = 0;
            while (!stop.get()) {
                rounds += called(rounds);
                started.countDown();
            }
            Check.here();
            return rounds;
        }

        static int called(int n) {
            return Outer.leaf(n) > 0 ? 1 : version().length();
        }

        static void thrown(int n, String before, String after) throws Exception {
            if (n == 0) {
                Retransformer.change(Body.class, before, after, () -> Outer.leaf(4));
                throw new IllegalStateException(version());
            }
            try {
                thrown(n - 1, before, after);
            } finally {
                Outer.leaf(n);
            }
        }
    }

    static final class Outer {
        static int leaf(int n) {
            Check.here();
            return n < 0 ? 0 : n + 1;
        }
    }

    public static void main(String[] args) throws Exception {
        Check.obsolete = true;
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        Thread spinner = new Thread(() -> Body.spin(stop, started));
        spinner.start();
        started.await();
        StringBuilder seen = new StringBuilder();
        // From the untouched bytes each time: a retransformation begins with those.
        for (int round = 1; round < 8; round++) {
            seen.append(Body.recurse(10, 5, "version 0", "version " + round)).append(' ').append(Body.version()).append('\n');
            try {
                Body.thrown(5, "version 0", "version " + (round + 1));
            } catch (IllegalStateException e) {
                seen.append(e.getMessage()).append('\n');
            }
            Outer.leaf(5);
        }
        stop.set(true);
        spinner.join();
        System.out.print(seen);
        Check.doneRacy("Retransform");
    }
}
