package hazards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.lucce.Lucce;

/** Calls back out of the JDK, each with a few of its frames in between: an event's trace with its notes is the JVM's own, frame by frame. */
public final class Between {
    private static int events;

    private Between() {}

    /** Prints number and frames of an event, innermost first. */
    static void event() {
        Lucce.event("between", ++events);
        List<String> frames = new ArrayList<>();
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            String name = frame.getClassName() + "." + frame.getMethodName();
            frames.add(frame.isNativeMethod() ? name + "(native method)" : name);
        }
        System.out.println(events + " " + String.join(" ", frames));
    }

    static final class Each implements Consumer<String>, Comparator<String>, Function<String, String>, IntConsumer {
        @Override
        public void accept(String value) {
            event();
        }

        @Override
        public void accept(int value) {
            inner(value);
        }

        private void inner(int value) {
            Optional.of("an optional " + value).ifPresent(this);
        }

        @Override
        public int compare(String left, String right) {
            event();
            return left.compareTo(right);
        }

        @Override
        public String apply(String value) {
            event();
            return value;
        }
    }

    static final class Work implements Runnable, Callable<Integer> {
        @Override
        public void run() {
            event();
            FutureTask<Integer> task = new FutureTask<>(this);
            task.run();
        }

        @Override
        public Integer call() {
            event();
            return events;
        }
    }

    static void all() {
        Each each = new Each();
        event();
        new ArrayList<>(Arrays.asList("a", "b")).forEach(each);
        List<String> sorted = new ArrayList<>(Arrays.asList("b", "a"));
        sorted.sort(each);
        new TreeMap<String, String>().computeIfAbsent("a", each);
        java.util.stream.IntStream.of(1, 2).forEach(each);
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 3; round++) {
            all();
        }
        Thread thread = new Thread(new Work());
        thread.start();
        thread.join();
    }
}
