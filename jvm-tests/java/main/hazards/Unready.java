package hazards;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.lucce.Lucce;

/**
 * The events of {@link Steady}, beside classes that are loaded and not as others are: one whose initialisation has failed and that has an instance,
 * one that cannot be linked, one that is not linked before the end, and one that is being defined until another has got hooks or lost them. The
 * arguments are those of {@link Steady} with a file; with one more, another agent makes nonsense of a class whenever it is retransformed.
 */
public final class Unready {
    private static final int CALLS = 4;
    private static final Plain PLAIN = new Plain();
    private static Plain failed;

    private Unready() {}

    /** Two methods that no class but those below has. */
    static class Plain {
        long step(int left, long value) {
            return left > 0 ? PLAIN.step(left - 1, value) : Steady.turn(CALLS, (int) value, value);
        }

        long leap(int left, long value) {
            return left > 0 ? PLAIN.leap(left - 1, value) : Steady.turn(CALLS, (int) value, value);
        }
    }

    /** Calls what was called itself: its first call could be taken for that of its caller, and its second for one of what the first has left. */
    static final class Failed extends Plain {
        static {
            failed = new Failed();
            if (failed != null) throw new IllegalStateException("as it should");
        }

        @Override
        long step(int left, long value) {
            return PLAIN.step(left, value) + PLAIN.step(left, value);
        }
    }

    static final class Spoiled extends Plain {
        @Override
        long leap(int left, long value) {
            return PLAIN.leap(left, value) + PLAIN.leap(left, value);
        }
    }

    static final class Unlinkable {
        static int number() {
            return 77;
        }
    }

    static final class Later extends Plain {
        static boolean isHooked() {
            return Lucce.context() != 0 || Lucce.site() != 0 || Lucce.capture() != 0;
        }

        @Override
        long step(int left, long value) {
            return PLAIN.step(left, value) + PLAIN.step(left, value);
        }
    }

    static class Base {}

    static final class Slow extends Base {
        /** Has it hooks? */
        @Override
        public String toString() {
            return String.valueOf(Lucce.context() != 0 || Lucce.site() != 0 || Lucce.capture() != 0);
        }
    }

    /** Has classes of its own, made of this program's. */
    static final class Loader extends ClassLoader {
        private final CountDownLatch defining;

        Loader(CountDownLatch defining) {
            super(Unready.class.getClassLoader());
            this.defining = defining;
        }

        /** The method of {@link Unlinkable} takes from an empty stack. */
        Class<?> unlinkable() throws IOException {
            byte[] bytes = read("hazards.Unready$Unlinkable");
            for (int at = 0; at + 2 < bytes.length; at++) {
                if (bytes[at] == 0x10 && bytes[at + 1] == 77 && bytes[at + 2] == (byte) 0xAC) {
                    bytes[at] = 0x57;
                    bytes[at + 1] = 0;
                }
            }
            return defineClass("hazards.Unready$Unlinkable", bytes, 0, bytes.length);
        }

        Class<?> slow() throws IOException {
            byte[] bytes = read("hazards.Unready$Slow");
            return defineClass("hazards.Unready$Slow", bytes, 0, bytes.length);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("hazards.Unready$Base")) {
                try {
                    boolean before = Steady.isHooked();
                    defining.countDown();
                    while (Steady.isHooked() == before) Thread.sleep(1);
                    Thread.sleep(40);
                    byte[] bytes = read(name);
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException | InterruptedException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
            return super.loadClass(name, resolve);
        }

        private static byte[] read(String name) throws IOException {
            try (InputStream in = Unready.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                return in.readAllBytes();
            }
        }
    }

    static void work(int thread, int events, Plain... all) {
        for (int i = 0; i < events; i++) {
            Plain plain = all[i % all.length];
            plain.step(2, (long) thread << 32 | i);
            plain.leap(2, (long) thread << 32 | i);
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int events = Integer.parseInt(args[1]);
        Path end = Path.of(args[2]);
        try {
            new Failed();
        } catch (ExceptionInInitializerError e) {
            // As it should.
        }
        CountDownLatch defining = new CountDownLatch(1);
        Loader loader = new Loader(defining);
        Class<?> unlinkable = loader.unlinkable();
        Class.forName("hazards.Unready$Later", false, Unready.class.getClassLoader());
        Class<?>[] slow = new Class<?>[1];
        List<Thread> all = new ArrayList<>();
        all.add(new Thread(() -> {
            try {
                slow[0] = loader.slow();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, "slow"));
        Spoiled spoiled = new Spoiled();
        if (args.length > 3) agents.Retransformer.spoil(Spoiled.class);
        Plain[] plains = {PLAIN, failed, spoiled};
        for (int t = 0; t < threads; t++) {
            int thread = t;
            all.add(new Thread(() -> {
                do {
                    work(thread, events, plains);
                    Steady.pause(end);
                } while (!Files.exists(end));
            }, "steady-" + t));
        }
        for (Thread thread : all) {
            thread.start();
        }
        defining.await();
        System.out.println("started");
        System.out.flush();
        for (Thread thread : all) {
            thread.join();
        }
        Constructor<?> constructor = slow[0].getDeclaredConstructor();
        constructor.setAccessible(true);
        Object late = constructor.newInstance();
        work(threads, events, new Later());
        System.out.println("hooked " + Steady.isHooked() + " later " + Later.isHooked() + " slow " + late + ", heard 0");
        try {
            unlinkable.getDeclaredMethod("number").invoke(null);
            System.out.println("linked");
        } catch (VerifyError e) {
            // As it should.
        }
    }
}
