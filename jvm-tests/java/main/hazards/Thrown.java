package hazards;

import java.lang.reflect.Method;
import java.util.List;

/**
 * Throws a known number of exceptions at known places, in this thread and, where there are any, in virtual ones. Arguments: how often each;
 * how many virtual threads do the same.
 */
public final class Thrown {
    static int touched;

    private Thrown() {}

    /** One of the program's own, cheap to make. */
    static final class Mine extends RuntimeException {
        private static final long serialVersionUID = 1;

        Mine(String message) {
            super(message, null, false, false);
        }
    }

    /** Something that is thrown. */
    interface Trouble {
        void make();
    }

    static void touch() {
        touched++;
    }

    static void explicit() {
        throw new Mine("explicit");
    }

    static int deep(int n) {
        if (n == 0) {
            passedOn();
        }
        return deep(n - 1) + 1;
    }

    static int pointer(int[] array) {
        touch();
        return array.length;
    }

    static int index(int[] array, int index) {
        touch();
        return array[index];
    }

    static int divide(int one, int other) {
        touch();
        return one / other;
    }

    static String cast(Object object) {
        touch();
        return (String) object;
    }

    static void store(Object[] array) {
        touch();
        array[0] = 1;
    }

    /** Has no hooks: it calls nothing. */
    static int bare(int[] array) {
        return array.length;
    }

    static int callsBare() {
        return bare(null);
    }

    static int jdk() {
        return Integer.parseInt("no number");
    }

    static void callback() {
        List.of(1).forEach(one -> {
            throw new Mine("callback");
        });
    }

    static void passedOn() {
        try {
            explicit();
        } finally {
            touch();
        }
    }

    static void again() {
        try {
            index(new int[1], 1);
        } catch (ArrayIndexOutOfBoundsException e) {
            touch();
            pointer(null);
        }
    }

    static synchronized void locked() {
        touch();
        divide(1, 0);
    }

    /** A constructor that throws behind `super()`. */
    static final class Made {
        final int value;

        Made(int by) {
            touch();
            value = 1 / by;
        }
    }

    static void made() {
        new Made(0);
    }

    static void trouble(Trouble trouble) {
        try {
            trouble.make();
            Check.fail("nothing was thrown");
        } catch (RuntimeException e) {
            touch();
        }
    }

    static void round() {
        trouble(() -> explicit());
        trouble(() -> deep(30));
        trouble(() -> pointer(null));
        trouble(() -> index(new int[3], 3));
        trouble(() -> divide(1, 0));
        trouble(() -> cast(1));
        trouble(() -> store(new String[1]));
        trouble(() -> callsBare());
        trouble(() -> jdk());
        trouble(() -> callback());
        trouble(() -> passedOn());
        trouble(() -> again());
        trouble(() -> locked());
        trouble(() -> made());
    }

    static void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    public static void main(String[] args) throws Exception {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        rounds(count);
        if (threads > 0) {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            Runnable body = () -> rounds(count);
            Thread[] all = new Thread[threads];
            for (int i = 0; i < threads; i++) {
                all[i] = (Thread) start.invoke(null, body);
            }
            for (Thread thread : all) {
                thread.join();
            }
        }
        System.out.println("Thrown: ok");
    }
}
