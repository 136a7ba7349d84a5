package hazards;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Allocates and waits on paths through lambdas, reflection, the JDK's loops and recursion until a file is there, and then writes how the JVM
 * itself prints the stack at each place where it has allocated: one stack a line, frames innermost first. Arguments: the file that ends it, the
 * file that is written, and "virtual" for virtual threads (21 and later; by reflection, so that it compiles on 11), which leave their carrier before
 * they allocate.
 */
public final class Attached {
    /** So large that the JVM samples each of them where it samples one in some KiB. */
    static final int LARGE = 1 << 20;
    private static final Object MONITOR = new Object();
    private static final Set<String> STACKS = ConcurrentHashMap.newKeySet();
    private static final List<Integer> TWO = Arrays.asList(1, 2);
    static volatile Object kept;
    static int entered;
    static boolean virtual;

    private Attached() {}

    interface Turn {
        void take(int left, int path) throws Exception;
    }

    static final Turn LAMBDA = (left, path) -> turn(left, path);
    static final Turn INNER = new Turn() {
        @Override
        public void take(int left, int path) throws Exception {
            turn(left, path);
        }
    };
    static final Turn REFLECTED = (left, path) -> {
        try {
            method("turn").invoke(null, left, path);
        } catch (InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
    };
    static final Turn LISTED = (left, path) -> TWO.subList(0, 1).forEach(one -> {
        try {
            turn(left, path);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    });
    static final Turn[] TURNS = {LAMBDA, INNER, REFLECTED, LISTED};

    static Method method(String name) throws NoSuchMethodException {
        return Attached.class.getDeclaredMethod(name, int.class, int.class);
    }

    static void turn(int left, int path) throws Exception {
        if (left == 0) {
            sink(path % 3);
            return;
        }
        TURNS[path % TURNS.length].take(left - 1, path / TURNS.length);
    }

    static void sink(int deep) {
        if (deep > 0) {
            sink(deep - 1);
            return;
        }
        if (virtual) {
            // One that yields on a carrier whose queue is never empty keeps all others waiting (JDK 25).
            LockSupport.parkNanos(1);
        }
        Object[] both = {new byte[LARGE], new Throwable()};
        kept = both[0];
        STACKS.add(read((Throwable) both[1]));
    }

    /** As the decoder writes a frame. */
    static String read(Throwable throwable) {
        return read(throwable.getStackTrace());
    }

    static String read(StackTraceElement[] frames) {
        StringBuilder stack = new StringBuilder();
        for (StackTraceElement frame : frames) {
            String file = frame.getFileName();
            String place = frame.isNativeMethod() ? "native method"
                : file == null ? "Unknown Source"
                : frame.getLineNumber() < 0 ? file
                : file + ":" + frame.getLineNumber();
            stack.append(frame.getClassName()).append('.').append(frame.getMethodName()).append('(').append(place).append(")|");
        }
        return stack.toString();
    }

    static void block() {
        synchronized (MONITOR) {
            entered++;
        }
    }

    static synchronized void method() {
        entered++;
    }

    static Thread start(String name, Runnable body) throws ReflectiveOperationException {
        if (!virtual) {
            Thread thread = new Thread(body, name);
            thread.start();
            return thread;
        }
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
        builder = type.getMethod("name", String.class).invoke(builder, name);
        return (Thread) type.getMethod("start", Runnable.class).invoke(builder, body);
    }

    /** Holds both monitors until the other thread waits for one. */
    static void contend() throws Exception {
        Thread waiter;
        synchronized (MONITOR) {
            waiter = start("waiter", Attached::block);
            await(waiter);
        }
        waiter.join();
        synchronized (Attached.class) {
            waiter = start("waiter", Attached::method);
            await(waiter);
        }
        waiter.join();
    }

    private static void await(Thread waiter) throws InterruptedException {
        while (waiter.getState() != Thread.State.BLOCKED) {
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        Path end = Path.of(args[0]);
        virtual = args.length > 2 && args[2].equals("virtual");
        List<Thread> allocating = new ArrayList<>();
        // Virtual threads take turns on their carriers.
        for (int i = 0; i < (virtual ? 3 : 1); i++) {
            int first = i;
            allocating.add(start("allocating", () -> {
                try {
                    for (int path = first; !Files.exists(end); path = (path + 7) % 4096) {
                        turn(4, path);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        System.out.println("started");
        System.out.flush();
        while (!Files.exists(end)) {
            contend();
        }
        for (Thread thread : allocating) {
            thread.join();
        }
        try (PrintWriter out = new PrintWriter(args[1], "UTF-8")) {
            STACKS.forEach(out::println);
        }
        System.out.println("ended");
    }
}
