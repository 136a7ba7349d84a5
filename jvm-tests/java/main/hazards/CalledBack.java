package hazards;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.lucce.Lucce;

/** The ways in which code of the JDK calls back, with few and many frames between, and several for one call. Each call back has an event. */
public final class CalledBack {
    private static int events;

    private CalledBack() {}

    static synchronized void event() {
        Lucce.event("back", ++events);
    }

    static String same(String value) {
        event();
        return value;
    }

    static void take(String value) {
        event();
    }

    /** Its methods are called by collections, formatters, streams of objects and traces. */
    static final class Key implements Comparable<Key>, Serializable {
        private static final long serialVersionUID = 1;
        private final int number;

        Key(int number) {
            this.number = number;
        }

        public Key() {
            this(7);
            event();
        }

        @Override
        public int hashCode() {
            event();
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            event();
            return other instanceof Key && ((Key) other).number == number;
        }

        @Override
        public int compareTo(Key other) {
            event();
            return Integer.compare(number, other.number);
        }

        @Override
        public String toString() {
            event();
            return "key " + number;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            event();
            out.defaultWriteObject();
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            event();
        }
    }

    static final class Begun {
        static {
            event();
        }

        private Begun() {}
    }

    static final class Told extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            event();
            return "told";
        }
    }

    /** One call for all: what the first has passed is noted. */
    static void each(Iterable<String> values) {
        values.forEach(CalledBack::take);
    }

    static void collections() {
        List<String> values = Arrays.asList("b", "a", "c");
        each(new ArrayList<>(values));
        each(new LinkedList<>(values));
        each(values);
        each(Collections.unmodifiableList(values));
        Map<Key, Integer> numbers = new HashMap<>();
        for (int number = 0; number < 3; number++) {
            numbers.put(new Key(number), number);
        }
        numbers.computeIfAbsent(new Key(4), key -> same("4").length());
        numbers.merge(new Key(4), 1, (one, other) -> one + same("44").length());
        new TreeSet<>(numbers.keySet()).forEach(key -> take("" + key));
        new PriorityQueue<>(numbers.keySet()).poll();
        new TreeMap<>(numbers).forEach((key, number) -> take("number"));
        List<String> sorted = new ArrayList<>(values);
        sorted.sort((one, other) -> same(one).compareTo(other));
        Collections.sort(new ArrayList<>(numbers.keySet()), Collections.reverseOrder());
        sorted.removeIf(value -> same(value).equals("a"));
        sorted.replaceAll(CalledBack::same);
        new ConcurrentHashMap<String, String>().computeIfAbsent("a", CalledBack::same);
        String.format("%s and %s", new Key(1), new Key(2));
        Objects.hash(new Key(1), Arrays.asList(new Key(2)));
        new ArrayList<>(numbers.keySet()).toString();
    }

    static void streams() {
        Stream.of("a", "b").map(CalledBack::same).filter(value -> same(value) != null).forEach(CalledBack::take);
        Stream.of("a", "b").flatMap(value -> Stream.of(same(value), "c").map(CalledBack::same)).collect(Collectors.toList());
        Stream.of("b", "a").sorted((one, other) -> same(one).compareTo(other)).findFirst().map(CalledBack::same);
        Stream.of("a", "b").collect(Collectors.groupingBy(CalledBack::same, Collectors.mapping(CalledBack::same, Collectors.joining())));
        // More frames than the first look has, and more than a note names.
        Stream<String> deep = Stream.of("a", "b");
        for (int level = 0; level < 60; level++) {
            deep = deep.filter(Objects::nonNull);
        }
        deep.forEach(value -> Optional.of(value).ifPresent(CalledBack::take));
        Pattern.compile("a|b").matcher("xaxb").replaceAll(found -> same(found.group()));
        Pattern.compile("x").splitAsStream("axb").forEach(CalledBack::take);
    }

    interface Said {
        void said();
    }

    static void handles() throws Throwable {
        for (int round = 0; round < 40; round++) {
            CalledBack.class.getDeclaredMethod("take", String.class).invoke(null, "reflected");
            Key.class.getConstructor().newInstance();
        }
        ((Said) Proxy.newProxyInstance(CalledBack.class.getClassLoader(), new Class<?>[] {Said.class}, (proxy, method, arguments) -> {
            event();
            return null;
        })).said();
        MethodType type = MethodType.methodType(String.class, String.class);
        MethodHandle handle = MethodHandles.lookup().findStatic(CalledBack.class, "same", type);
        String exact = (String) handle.invokeExact("a");
        Object any = handle.invoke((Object) exact);
        MethodHandles.filterArguments(handle, 0, handle).invokeWithArguments(any);
        Class.forName("hazards.CalledBack$Begun");
        Supplier<String> late = () -> same("late");
        ThreadLocal.withInitial(late).get();
    }

    static void others() throws Exception {
        Thread thread = new Thread(() -> take("started"));
        thread.start();
        thread.join();
        ExecutorService pool = Executors.newSingleThreadExecutor();
        pool.submit((Callable<String>) () -> same("called")).get();
        pool.submit(() -> take("run")).get();
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> same("supplied"), pool);
        first.join();
        first.thenApply(CalledBack::same).thenCompose(value -> CompletableFuture.completedFuture(same(value))).get();
        pool.shutdown();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new ArrayList<>(Arrays.asList(new Key(1), new Key(2))));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            in.readObject();
        }
        new Told().printStackTrace(new PrintStream(new ByteArrayOutputStream()));
        Function<String, String> twice = ((Function<String, String>) CalledBack::same).andThen(CalledBack::same);
        twice.compose(CalledBack::same).apply("composed");
    }

    public static void main(String[] args) throws Throwable {
        for (int round = 0; round < 3; round++) {
            collections();
            streams();
            handles();
            others();
        }
        System.out.println(events + " events");
    }
}
