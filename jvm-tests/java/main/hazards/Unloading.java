package hazards;

import hazards.plain.Unit;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
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
 * its trace. With arguments {@code <first> <all> [hidden]} it says what the process holds after so many classes, for the test of memory.
 */
public class Unloading {
    private static final String TEMPLATE = "hazards/Dropped";
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
        String name = String.format("hazards/Drop%06d", number);
        return (Unit) new Dropping(name).loadClass(name.replace('/', '.')).getDeclaredConstructor().newInstance();
    }

    private static class Dropping extends ClassLoader {
        private final String name;

        Dropping(String name) {
            super(Unloading.class.getClassLoader());
            this.name = name;
        }

        @Override
        protected Class<?> findClass(String wanted) throws ClassNotFoundException {
            if (!wanted.startsWith(name.replace('/', '.'))) throw new ClassNotFoundException(wanted);
            byte[] bytes = wanted.endsWith("Helper") ? Template.HELPER : Template.MAIN;
            byte[] renamed = rename(bytes, name);
            return defineClass(wanted, renamed, 0, renamed.length);
        }
    }

    /** Bytes of class files. */
    private static class Template {
        static final byte[] MAIN = read(TEMPLATE);
        static final byte[] HELPER = read(TEMPLATE + "$Helper");
        static final byte[] HIDDEN = read("hazards/Masked");

        static byte[] read(String name) {
            try (InputStream in = Unloading.class.getResourceAsStream("/" + name + ".class")) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The same class file with another name in its constants, whose lengths change with it. */
    private static byte[] rename(byte[] bytes, String name) {
        // As ISO 8859-1, a byte is a character. A constant of UTF-8 is 1, a length of two bytes, and the text.
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        StringBuilder out = new StringBuilder();
        int pool = (bytes[8] & 0xFF) << 8 | bytes[9] & 0xFF;
        int at = 10;
        out.append(text, 0, 10);
        for (int n = 1; n < pool; n++) {
            int tag = bytes[at];
            if (tag == 1) {
                int length = (bytes[at + 1] & 0xFF) << 8 | bytes[at + 2] & 0xFF;
                String constant = text.substring(at + 3, at + 3 + length).replace(TEMPLATE, name);
                out.append((char) 1).append((char) (constant.length() >> 8)).append((char) (constant.length() & 0xFF)).append(constant);
                at += 3 + length;
                continue;
            }
            int size = tag == 5 || tag == 6 ? 9 : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 3 : tag == 15 ? 4 : 5;
            out.append(text, at, at + size);
            at += size;
            if (tag == 5 || tag == 6) n++;
        }
        return out.append(text.substring(at)).toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A hidden class, where the JVM has them (JEP 371). */
    private static Unit hidden() throws Exception {
        Method define = null;
        for (Method method : MethodHandles.Lookup.class.getMethods()) {
            if (method.getName().equals("defineHiddenClass")) define = method;
        }
        if (define == null) return null;
        Object options = java.lang.reflect.Array.newInstance(define.getParameterTypes()[2].getComponentType(), 0);
        Object lookup = define.invoke(MethodHandles.lookup(), Template.HIDDEN, true, options);
        return (Unit) ((MethodHandles.Lookup) lookup).lookupClass().getDeclaredConstructor().newInstance();
    }

    /** Prints the resident memory of the process in KiB after {@code first} classes, and after {@code all}. */
    private static void measure(int first, int all, boolean hidden) throws Exception {
        for (int n = 1; n <= all; n++) {
            Unit unit = hidden ? hidden() : load(n);
            unit.work(n % 5);
            if (n == first || n == all) {
                for (int i = 0; i < 5; i++) {
                    System.gc();
                    Thread.sleep(200);
                }
                System.out.println(resident());
            }
        }
    }

    private static long resident() throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        throw new AssertionError("no VmRSS");
    }
}
