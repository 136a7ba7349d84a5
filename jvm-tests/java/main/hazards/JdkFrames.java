package hazards;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.lucce.Lucce;

/**
 * With hooks in the JDK: every frame of {@link Throwable#getStackTrace}, the JDK's included, is in Lucce's trace, in order, with its line.
 *
 * <p>Left out of the comparison are native methods and the few classes that have no hooks, by name ({@link #out}).
 */
public final class JdkFrames {
    private static final AtomicLong POINTS = new AtomicLong();
    private static final AtomicLong WRONG = new AtomicLong();
    private static final boolean ACTIVE = Lucce.active();

    private JdkFrames() {}

    static int here(int n) {
        POINTS.incrementAndGet();
        if (ACTIVE) {
            compare(new Throwable().getStackTrace(), Lucce.trace(Lucce.capture()));
        }
        return n;
    }

    /** The classes without hooks; and those of threads that run old code, for they were waiting in it when the agent became ready. */
    static boolean out(StackTraceElement e) {
        String type = e.getClassName();
        return e.isNativeMethod()
                || type.startsWith("java.lang.VirtualThread")
                || type.startsWith("jdk.internal.vm.Continuation")
                || type.startsWith("java.lang.System$")
                || type.startsWith("java.lang.invoke.VarHandle")
                || type.startsWith("java.lang.invoke.LambdaForm")
                || type.equals("java.lang.ref.Finalizer$FinalizerThread")
                || type.equals("java.lang.ref.Reference$ReferenceHandler");
    }

    private static void compare(StackTraceElement[] stack, StackTraceElement[] trace) {
        List<String> real = lines(stack);
        List<String> decoded = lines(trace);
        if (!real.equals(decoded)) {
            report(real, decoded);
        }
    }

    private static List<String> lines(StackTraceElement[] elements) {
        List<String> lines = new ArrayList<>();
        for (StackTraceElement e : elements) {
            if (!out(e)) {
                lines.add(e.getClassName() + "." + e.getMethodName() + ":" + Math.max(e.getLineNumber(), -1));
            }
        }
        return lines;
    }

    private static synchronized void report(List<String> real, List<String> decoded) {
        if (WRONG.incrementAndGet() > 3) {
            return;
        }
        System.out.println("WRONG: in " + Thread.currentThread().getName());
        for (int i = 0; i < Math.max(real.size(), decoded.size()); i++) {
            String left = i < real.size() ? real.get(i) : "-";
            String right = i < decoded.size() ? decoded.get(i) : "-";
            System.out.println("  " + (left.equals(right) ? "  " : "! ") + left + " | " + right);
        }
    }

    static void equal(Object expected, Object actual) {
        if (!expected.equals(actual)) {
            WRONG.incrementAndGet();
            System.out.println("WRONG: expected " + expected + ", got " + actual);
        }
    }

    /** Compared, hashed and printed by collections. */
    static final class Item implements Comparable<Item>, Serializable {
        private static final long serialVersionUID = 1;
        final int id;

        Item(int id) {
            this.id = id;
        }

        @Override
        public int compareTo(Item other) {
            return Integer.compare(here(id), other.id);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Item && here(id) == ((Item) other).id;
        }

        @Override
        public int hashCode() {
            return here(id % 3);
        }

        @Override
        public String toString() {
            return "i" + here(id);
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            here(id);
            out.defaultWriteObject();
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            here(id);
        }
    }

    static List<Item> items(int n) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            items.add(new Item(i * 5 % n));
        }
        return items;
    }

    static void collections() {
        List<Item> items = items(8);
        items.forEach(item -> here(item.id));
        items.sort(null);
        items.sort((a, b) -> here(b.id) - a.id);
        Collections.sort(items);
        Item[] array = items.toArray(new Item[0]);
        Arrays.sort(array, Comparator.comparing(item -> here(-item.id)));
        Arrays.sort(array, Collections.reverseOrder());
        equal(true, items.contains(new Item(3)));
        items.removeIf(item -> here(item.id) > 6);
        Map<Item, Integer> map = new HashMap<>();
        for (Item item : items) {
            map.computeIfAbsent(item, key -> here(key.id));
            map.merge(item, 1, (a, b) -> here(a + b));
        }
        map.forEach((key, value) -> here(value));
        Map<Item, Integer> shared = new ConcurrentHashMap<>(map);
        shared.computeIfPresent(new Item(2), (key, value) -> here(value + 1));
        TreeMap<Item, Integer> sorted = new TreeMap<>(Comparator.<Item>naturalOrder().reversed());
        sorted.putAll(map);
        equal(7, sorted.size());
        PriorityQueue<Item> queue = new PriorityQueue<>(items);
        equal(0, queue.poll().id);
        equal("[i1, i2]", Arrays.asList(new Item(1), new Item(2)).toString());
        equal("i1-i2", String.format("%s-%s", new Item(1), new Item(2)));
        equal("i4", String.valueOf(new StringBuilder().append(new Item(4))));
        equal(5, Optional.of(4).map(n -> here(n + 1)).get());
        equal(1, ThreadLocal.withInitial(() -> here(1)).get());
    }

    static void streams() {
        int sum = Stream.of(5, 3, 8).map(n -> here(n + 1)).filter(n -> here(n) > 4).sorted((a, b) -> here(a) - b).mapToInt(n -> here(n)).sum();
        sum += IntStream.range(0, 6).flatMap(n -> IntStream.range(0, here(n)).map(JdkFrames::here)).sum();
        sum += items(6).stream().collect(Collectors.groupingBy(item -> here(item.id % 2))).size();
        sum += IntStream.range(0, 64).parallel().map(JdkFrames::here).sum();
        equal(15 + 20 + 2 + 2016, sum);
    }

    public static int reflected(int n) {
        return here(n);
    }

    /** Called through reflection, method handles, a proxy and service providers. */
    static void reflection() throws Throwable {
        Method method = JdkFrames.class.getMethod("reflected", int.class);
        // Accessors are generated at the 16th call.
        for (int i = 0; i < 20; i++) {
            equal(i, method.invoke(null, i));
        }
        MethodHandle handle = MethodHandles.lookup().findStatic(JdkFrames.class, "reflected", MethodType.methodType(int.class, int.class));
        equal(7, (int) handle.invokeExact(7));
        equal(8, handle.invokeWithArguments(8));
        Class<?>[] types = {Callable.class};
        Callable<?> proxy = (Callable<?>) Proxy.newProxyInstance(JdkFrames.class.getClassLoader(), types, (self, called, arguments) -> here(3));
        equal(3, proxy.call());
        equal(4, new ArrayList<>(List.of(4)).getClass().getMethod("size").invoke(Arrays.asList(1, 2, 3, 4).stream().collect(Collectors.toCollection(ArrayList::new))));
        for (Service service : ServiceLoader.load(Service.class)) {
            equal(2, service.serve());
        }
    }

    /** A service of this program. */
    public interface Service {
        int serve();
    }

    /** Its provider. */
    public static final class Provider implements Service {
        public Provider() {
            here(1);
        }

        @Override
        public int serve() {
            return here(2);
        }
    }

    static class Lazy {
        static final int VALUE = here(11);

        static int value(int n) {
            return here(n);
        }
    }

    /** An exception that looks round while it is made. */
    static final class Looking extends RuntimeException {
        private static final long serialVersionUID = 1;

        Looking(String message) {
            super(message);
            here(1);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            here(2);
            return super.fillInStackTrace();
        }
    }

    /** Exceptions that the program makes, and the same ones made by the JVM, at places where nothing has been published. */
    static int exceptions(int n) {
        int[] numbers = new int[2];
        Object text = n % 2 == 0 ? "text" : 5;
        int caught = 0;
        for (int i = 0; i < 6; i++) {
            try {
                switch (i) {
                    case 0:
                        if (n % 3 == 0) {
                            throw new ArithmeticException("explicit");
                        }
                        caught += here(n) / (n - n);
                        break;
                    case 1:
                        caught += numbers[here(2) + i];
                        break;
                    case 2:
                        caught += ((String) text).length();
                        text = null;
                        break;
                    case 3:
                        caught += here(((String) text).length());
                        break;
                    case 4:
                        numbers = new int[here(n) - n - 1];
                        break;
                    default:
                        throw new Looking("i" + i);
                }
            } catch (ArithmeticException | IndexOutOfBoundsException | ClassCastException | NullPointerException | NegativeArraySizeException e) {
                caught += here(1);
            } catch (Looking e) {
                caught += here(e.getMessage().length());
            }
        }
        try {
            Object[] objects = new String[1];
            objects[0] = Integer.valueOf(here(3));
        } catch (ArrayStoreException e) {
            caught += here(1);
        }
        return caught;
    }

    /** A finaliser: its registration is a call that no instruction makes. */
    static final class Finalized {
        final int id;

        Finalized(int id) {
            this.id = here(id);
        }

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            here(id);
        }
    }

    static int initialisers() {
        int sum = Lazy.VALUE + Lazy.value(1);
        sum += new Finalized(2).id;
        return sum;
    }

    static void serialization() throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(items(3));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            equal(items(3), in.readObject());
        }
    }

    public static void main(String[] args) throws Throwable {
        int sum = 0;
        for (int round = 0; round < 6; round++) {
            collections();
            streams();
            reflection();
            serialization();
            sum += exceptions(round) + initialisers();
            JdkThreads.threads();
        }
        System.out.println(sum);
        if (WRONG.get() != 0) {
            System.out.println("WRONG: " + WRONG.get() + " of " + POINTS.get());
            Runtime.getRuntime().halt(1);
        }
        System.out.println("JdkFrames: ok");
    }
}
