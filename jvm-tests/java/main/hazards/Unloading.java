package hazards;

import hazards.plain.Unit;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.lucce.Lucce;

/**
 * Loaders that are dropped with their classes, and hidden classes, while others stay and go on calling. What was captured in them still has
 * its trace. With arguments {@code <classes> <samples> [hidden]} it says what the process holds as classes come and go, for the test of memory.
 */
public class Unloading {
    private static final String TEMPLATE = "hazards/Dropped";
    /** Six digits of it are a class's own. */
    private static final String NAMED = "hazards/Drop000000";
    /** Captured in classes that are gone, with what the trace was then. */
    private static final List<Long> CAPTURED = new ArrayList<>();
    private static final List<String> TRACES = new ArrayList<>();

    private static boolean capturing;
    private static long calls;

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            measure(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), arguments.length > 2);
            return;
        }
        List<Unit> staying = new ArrayList<>();
        List<WeakReference<Class<?>>> dropped = new ArrayList<>();
        long sum = 0;
        for (int round = 0; round < 8; round++) {
            for (int n = 0; n < 100; n++) {
                capturing = n % 20 == 0;
                Unit unit = load(round * 100 + n);
                sum += unit.work(n % 5);
                capturing = false;
                if (n % 25 == 0) staying.add(unit);
                else dropped.add(new WeakReference<>(unit.getClass()));
                unit = hidden();
                if (unit != null) sum += unit.work(n % 3);
            }
            awaitUnloading(dropped);
            for (Unit unit : staying) sum += unit.work(round);
        }
        System.out.println("sum is right: " + (sum != 0 && calls > 800));
        for (int i = 0; i < CAPTURED.size(); i++) {
            String now = Arrays.toString(Lucce.trace(CAPTURED.get(i)));
            if (!now.equals(TRACES.get(i))) throw new AssertionError(now + " was " + TRACES.get(i));
        }
        System.out.println("captured contexts keep their traces");
    }

    /** Collects until most of the classes are gone, and gives the agent a moment to hear of it. */
    private static void awaitUnloading(List<WeakReference<Class<?>>> dropped) throws InterruptedException {
        for (int i = 0; i < 50 && dropped.stream().filter(ref -> ref.get() != null).count() > dropped.size() / 2; i++) {
            System.gc();
            Thread.sleep(10);
        }
        Thread.sleep(150);
    }

    public static long between(int n) {
        calls++;
        return n + keep(n);
    }

    public static long keep(int n) {
        if (capturing && Lucce.active()) {
            CAPTURED.add(Lucce.capture());
            TRACES.add(Arrays.toString(Lucce.trace(CAPTURED.get(CAPTURED.size() - 1))));
        }
        return n;
    }

    public static long stay(IntToLongFunction back, int n) {
        return back.applyAsLong(n) + between(n);
    }

    /** A fresh loader that defines the template under a name of its own. */
    private static Unit load(int number) throws Exception {
        byte[] digits = String.format("%06d", number).getBytes(StandardCharsets.ISO_8859_1);
        String name = "hazards.Drop" + new String(digits, StandardCharsets.ISO_8859_1);
        return (Unit) new Dropping(digits).loadClass(name).getDeclaredConstructor().newInstance();
    }

    private static class Dropping extends ClassLoader {
        private final byte[] digits;

        Dropping(byte[] digits) {
            super(Unloading.class.getClassLoader());
            this.digits = digits;
        }

        /** Parents are not asked for what is ours: the JDK's loaders keep a lock for each name that they were asked for, and for ever. */
        @Override
        protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
            if (!wanted.startsWith("hazards.Drop")) return super.loadClass(wanted, resolve);
            Class<?> known = findLoadedClass(wanted);
            return known != null ? known : findClass(wanted);
        }

        @Override
        protected Class<?> findClass(String wanted) throws ClassNotFoundException {
            byte[] named = (wanted.endsWith("Helper") ? Template.HELPER : Template.MAIN).named(digits);
            return defineClass(wanted, named, 0, named.length);
        }
    }

    /** A class file that can be given other names. */
    private static class Template {
        static final Template MAIN = new Template(read("hazards/Dropped"));
        static final Template HELPER = new Template(read("hazards/Dropped$Helper"));
        static final byte[] HIDDEN = read("hazards/Masked");

        private final byte[] bytes;
        /** Where the digits of its name stand. */
        private final List<Integer> places = new ArrayList<>();

        Template(byte[] bytes) {
            // As ISO 8859-1, a byte is a character.
            String text = rename(new String(bytes, StandardCharsets.ISO_8859_1));
            this.bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            for (int at = text.indexOf(NAMED); at >= 0; at = text.indexOf(NAMED, at + 1)) {
                places.add(at + NAMED.length() - 6);
            }
        }

        byte[] named(byte[] digits) {
            byte[] named = bytes.clone();
            for (int place : places) System.arraycopy(digits, 0, named, place, digits.length);
            return named;
        }

        static byte[] read(String name) {
            try (InputStream in = Unloading.class.getResourceAsStream("/" + name + ".class")) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The same class file with the name {@link #NAMED} in its constants, whose lengths change with it. */
    private static String rename(String text) {
        // A constant of UTF-8 is 1, a length of two bytes, and the text.
        StringBuilder out = new StringBuilder();
        int pool = text.charAt(8) << 8 | text.charAt(9);
        int at = 10;
        out.append(text, 0, 10);
        for (int n = 1; n < pool; n++) {
            int tag = text.charAt(at);
            if (tag == 1) {
                int length = text.charAt(at + 1) << 8 | text.charAt(at + 2);
                String constant = text.substring(at + 3, at + 3 + length).replace(TEMPLATE, NAMED);
                out.append((char) 1).append((char) (constant.length() >> 8)).append((char) (constant.length() & 0xFF)).append(constant);
                at += 3 + length;
                continue;
            }
            int size = tag == 5 || tag == 6 ? 9 : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 3 : tag == 15 ? 4 : 5;
            out.append(text, at, at + size);
            at += size;
            if (tag == 5 || tag == 6) n++;
        }
        return out.append(text.substring(at)).toString();
    }

    /** A hidden class, where the JVM has them (JEP 371). */
    private static Unit hidden() throws Exception {
        if (Hiding.DEFINE == null) return null;
        Object lookup = Hiding.DEFINE.invoke(MethodHandles.lookup(), Template.HIDDEN, true, Hiding.NO_OPTIONS);
        return (Unit) ((MethodHandles.Lookup) lookup).lookupClass().getDeclaredConstructor().newInstance();
    }

    private static class Hiding {
        static final Method DEFINE = Arrays.stream(MethodHandles.Lookup.class.getMethods())
                .filter(method -> method.getName().equals("defineHiddenClass")).findAny().orElse(null);
        static final Object NO_OPTIONS =
                DEFINE == null ? null : Array.newInstance(DEFINE.getParameterTypes()[2].getComponentType(), 0);
    }

    /** Prints, so many times, how many classes have come, and the memory of the process's own in KiB when they are gone. */
    private static void measure(int classes, int samples, boolean hidden) throws Exception {
        for (int n = 1; n <= classes; n++) {
            Unit unit = hidden ? hidden() : load(n);
            unit.work(n % 5);
            if (n % (classes / samples) == 0) {
                unit = null;
                System.out.println(n + " " + collected());
            }
        }
    }

    /** Collects, three times at least, until the process grows no smaller by that: its memory then. */
    private static long collected() throws Exception {
        long before = Long.MAX_VALUE;
        for (int i = 0; ; i++) {
            System.gc();
            Thread.sleep(100);
            long now = anonymous();
            if (i >= 2 && now >= before) return before;
            before = Math.min(now, before);
        }
    }

    /** Without what is mapped of files: how much of them is resident is the page cache's business. */
    static long anonymous() throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        throw new AssertionError("no RssAnon");
    }
}
