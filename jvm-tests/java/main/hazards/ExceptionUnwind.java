package hazards;

/** Exceptions that cross many frames, finally blocks, handlers that call on, and rethrows. */
public final class ExceptionUnwind {
    static int trail;

    private ExceptionUnwind() {}

    static void fall(int n) {
        if (n == 0) {
            throw new IllegalArgumentException("bottom");
        }
        fall(n - 1);
    }

    static void viaFinally(int n) {
        try {
            if (n == 0) {
                throw new IllegalArgumentException("bottom");
            }
            viaFinally(n - 1);
        } finally {
            leaf(n);
        }
    }

    static void viaCatch(int n) {
        try {
            if (n == 0) {
                throw new IllegalArgumentException("bottom");
            }
            viaCatch(n - 1);
        } catch (IllegalArgumentException e) {
            leaf(n);
            throw new IllegalArgumentException(e);
        }
    }

    static int swallow(int n) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            try {
                leaf(i);
                fall(n);
            } catch (RuntimeException e) {
                sum += leaf(n);
            }
            sum += leaf(i);
        }
        return sum;
    }

    static int implicit(int[] array, Object o, int divisor) {
        int sum = 0;
        try {
            sum += array[7];
        } catch (ArrayIndexOutOfBoundsException e) {
            sum += leaf(1);
        }
        try {
            sum += o.hashCode();
        } catch (NullPointerException e) {
            sum += leaf(2);
        }
        try {
            sum += 1 / divisor;
        } catch (ArithmeticException e) {
            sum += leaf(3);
        }
        try {
            sum += ((Integer) (Object) "no").intValue();
        } catch (ClassCastException e) {
            sum += leaf(4);
        }
        try {
            sum += new int[divisor - 1].length;
        } catch (NegativeArraySizeException e) {
            sum += leaf(5);
        }
        return sum;
    }

    static int leaf(int n) {
        Check.here();
        trail += n;
        return n;
    }

    static synchronized void locked(int n) {
        if (n == 0) {
            throw new IllegalStateException("locked");
        }
        locked(n - 1);
    }

    static void monitor(Object lock, int n) {
        synchronized (lock) {
            leaf(n);
            if (n == 0) {
                throw new IllegalStateException("monitor");
            }
            monitor(lock, n - 1);
        }
    }

    static int returnsFromFinally(int n) {
        try {
            fall(n);
            return 1;
        } finally {
            leaf(n);
            return 2;
        }
    }

    interface Step {
        void run();
    }

    static void guarded(Step step) {
        try {
            step.run();
            Check.fail("no exception");
        } catch (RuntimeException e) {
            leaf(1);
        }
        leaf(2);
    }

    public static void main(String[] args) {
        for (int round = 0; round < 40; round++) {
            guarded(() -> fall(50));
            guarded(() -> viaFinally(10));
            guarded(() -> viaCatch(10));
            guarded(() -> locked(5));
            guarded(() -> monitor(new Object(), 5));
            swallow(4);
            Check.equal(15, implicit(new int[2], null, 0));
            Check.equal(2, returnsFromFinally(3));
        }
        System.out.println(trail);
        Check.done("ExceptionUnwind");
    }
}
