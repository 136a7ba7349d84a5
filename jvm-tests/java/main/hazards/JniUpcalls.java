package hazards;

import java.util.concurrent.atomic.AtomicInteger;

/** Upcalls from native code: on Java threads, on attached threads, with exceptions, constructors and natives of a fitting name. */
public final class JniUpcalls {
    static final AtomicInteger CALLS = new AtomicInteger();

    private JniUpcalls() {}

    /** Calls body.run() through JNI; an exception stays pending. */
    static native void run(Runnable body);

    /** Calls fromNative(n) `times` times. */
    static native int repeat(int n, int times);

    /** Makes a Made(n) by NewObject. */
    static native Object make(int n);

    /** Attaches `threads` native threads, each of which calls fromNative(1..times), detaching and attaching again in between. */
    static native void attach(int threads, int times);

    static int fromNative(int n) {
        Check.here();
        CALLS.incrementAndGet();
        return leaf(n);
    }

    static int leaf(int n) {
        Check.here();
        return n <= 0 ? 1 : leaf(n - 1) + 1;
    }

    static int recurse(int n) {
        int[] result = new int[1];
        run(() -> result[0] = n == 0 ? leaf(0) : recurse(n - 1));
        Check.here();
        return result[0] + repeat(2, 2);
    }

    static final class Made {
        final int value;

        Made(int n) {
            Check.here();
            if (n == 3) {
                throw new IllegalStateException("made");
            }
            value = leaf(n);
        }
    }

    /** A native with the name and shape of the method it calls: nothing but the walk tells them apart. */
    interface Same {
        int same(int n);
    }

    static final class NativeSame implements Same {
        private final Same next;

        NativeSame(Same next) {
            this.next = next;
        }

        @Override
        public native int same(int n);

        Same next() {
            return next;
        }
    }

    static final class JavaSame implements Same {
        @Override
        public int same(int n) {
            return leaf(n);
        }
    }

    static int made(int n) {
        try {
            int value = ((Made) make(n)).value;
            leaf(1);
            return value;
        } catch (IllegalStateException e) {
            return leaf(2);
        }
    }

    static void thrown() {
        try {
            run(() -> {
                leaf(1);
                throw new IllegalStateException("through native");
            });
            Check.fail("no exception");
        } catch (IllegalStateException e) {
            leaf(2);
        }
        leaf(3);
    }

    public static void main(String[] args) throws InterruptedException {
        System.load(System.getProperty("upcalls"));
        int sum = 0;
        for (int round = 0; round < 40; round++) {
            sum += recurse(4) + repeat(3, 5);
            Check.here();
            for (int n = 0; n < 5; n++) {
                sum += made(n);
            }
            thrown();
            Same same = new NativeSame(new NativeSame(new JavaSame()));
            sum += same.same(2) + same.same(1);
            Check.here();
        }
        attach(4, 50);
        Thread java = new Thread(() -> repeat(2, 20));
        java.start();
        attach(2, 20);
        java.join();
        System.out.println(sum + " " + CALLS.get());
        Check.done("JniUpcalls");
    }
}
