package hazards;

import java.io.PrintWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.lucce.Lucce;

/**
 * For an agent that rewrites no class: each context is compared with the stack that the JVM itself makes on the same line, all frames of it, the
 * JDK's and native ones, too. Arguments: the file that gets the stacks at which it has logged events, one a line; and "virtual" for a virtual
 * thread (21 and later).
 */
public final class Walked {
    private static final int ROUNDS = 3;
    private static final Set<String> STACKS = ConcurrentHashMap.newKeySet();
    private static final Map<String, Long> NUMBERS = new ConcurrentHashMap<>();
    private static final Map<Long, String> BACK = new ConcurrentHashMap<>();
    private static final AtomicInteger POINTS = new AtomicInteger();

    private Walked() {}

    /** A context, and the JVM's own stack on the line where it was captured. */
    static int same(long context, Throwable here) {
        int point = POINTS.incrementAndGet();
        String real = Attached.read(here);
        if (Lucce.active()) {
            Check.equal(real, Attached.read(Lucce.trace(context)));
            // Equal contexts have equal numbers, and only they.
            Check.equal(context, NUMBERS.computeIfAbsent(real, stack -> context));
            Check.equal(real, BACK.computeIfAbsent(context, number -> real));
        }
        Lucce.event("here", point); STACKS.add(Attached.read(new Throwable()));
        Lucce.event("earlier", point, context); STACKS.add(real);
        return point;
    }

    static void down(int depth) {
        if (depth == 0) {
            same(Lucce.capture(), new Throwable());
        } else {
            down(depth - 1);
        }
    }

    static final class Made {
        Made(int calls) {
            same(Lucce.capture(), new Throwable());
        }

        Made() {
            this(same(Lucce.capture(), new Throwable()));
        }
    }

    static final class Initialised {
        static final int POINT = same(Lucce.capture(), new Throwable());
    }

    static final class Key implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return same(Lucce.capture(), new Throwable()) > 0 ? 1 : 0;
        }
    }

    public static void called() {
        same(Lucce.capture(), new Throwable());
    }

    static void all(int round) throws Throwable {
        // Shorter than what the JVM puts into a trace at most, and longer than what the agent asks for at once.
        for (int depth : new int[] {0, 1, 7, 300, 900}) {
            down(depth);
        }
        new Made();
        Check.equal(true, Initialised.POINT > 0);
        Runnable lambda = () -> same(Lucce.capture(), new Throwable());
        lambda.run();
        Arrays.asList(1, 2).forEach(n -> same(Lucce.capture(), new Throwable()));
        Map<Key, Integer> tree = new TreeMap<>();
        tree.put(new Key(), round);
        tree.put(new Key(), round);
        // By a native method at first (JDK 11 and 17), later by a class that the JDK makes.
        for (int call = 0; call < 20; call++) {
            Walked.class.getMethod("called").invoke(null);
        }
        MethodHandle handle = MethodHandles.lookup().findStatic(Walked.class, "called", MethodType.methodType(void.class));
        handle.invokeExact();
        handle.invokeWithArguments();
        // Asked for by others than the code that is asked about.
        long reflected = (long) Lucce.class.getMethod("capture").invoke(null);
        Check.equal(Lucce.active(), reflected != 0);
    }

    public static void main(String[] args) throws Exception {
        Attached.virtual = args.length > 1 && args[1].equals("virtual");
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
            threads.add(Attached.start("asking", () -> {
                try {
                    for (int round = 0; round < ROUNDS; round++) {
                        all(round);
                    }
                } catch (Throwable e) {
                    Check.fail("" + e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        try (PrintWriter out = new PrintWriter(args[0], "UTF-8")) {
            STACKS.forEach(out::println);
        }
        System.out.println(POINTS + " points");
        Check.done("Walked");
    }
}
