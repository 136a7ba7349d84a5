package random;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;

/**
 * Random programs: each seed walks its own way through the pieces of this package, loaded anew by a class loader written in Java, so
 * that every load, link and initialisation happens again and elsewhere. Prints one line a seed, the same whatever agent is there.
 *
 * <p>Arguments: first seed, number of seeds, steps of each, threads (with more than one, all share the classes, and no results are
 * printed: which of them initialises a class is not theirs to say).
 */
public final class Programs {
    /** Bytes of stack: the deepest program needs a tenth of it. */
    private static final int STACK = 4 << 20;

    private Programs() {}

    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
        long first = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[1]);
        int steps = Integer.parseInt(args[2]);
        int threads = Integer.parseInt(args[3]);
        for (long seed = first; seed < first + count; seed++) {
            Class<?> fresh = (seed % 2 == 0 ? new Fresh() : new Direct()).loadClass("random.Programs");
            Object result = fresh.getMethod("run", long.class, int.class, int.class).invoke(null, seed, steps, threads);
            System.out.println("seed " + seed + ": " + result);
        }
    }

    /** One program on this many threads. Called by reflection, in fresh classes. */
    public static String run(long seed, int steps, int threads) throws InterruptedException {
        if (threads == 1) {
            String[] result = new String[1];
            Thread thread = new Thread(null, () -> result[0] = one(seed, steps), "seed " + seed, STACK);
            thread.start();
            thread.join();
            return result[0];
        }
        Steps.shared = true;
        Starts.all();
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            long own = seed * 31 + i;
            all[i] = new Thread(null, () -> one(own, steps), "seed " + seed + "." + i, STACK);
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        return "done";
    }

    private static String one(long seed, int steps) {
        Tape t = new Tape(seed, steps);
        int rounds = 0;
        for (int i = 0; i < steps && t.enter(); i++) {
            t.back(0);
            rounds++;
            try {
                t.seen(Steps.step(t));
            } catch (RuntimeException | LinkageError e) {
                t.back(0);
                t.seen(e.getClass().getName());
            }
        }
        return rounds + " rounds, " + Long.toHexString(t.digest());
    }

    /** Loads this package anew; everything else comes from above. */
    static class Fresh extends ClassLoader {
        Fresh() {
            super(Programs.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("random.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** The same, without the JDK's own entry point between. */
    static final class Direct extends Fresh {
        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            return loadClass(name, false);
        }
    }
}
