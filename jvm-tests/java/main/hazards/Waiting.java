package hazards;

import java.util.List;
import java.util.TreeMap;

/**
 * Threads that wait for one monitor, each in another way into it. Prints how often each stack was met waiting, as the JVM's own walk sees it;
 * frames of the JDK are left out, for they are not instrumented.
 */
public final class Waiting {
    private static final Object LOCK = new Object();
    private static final int TIMES = 3;
    private static int sum;

    private Waiting() {}

    interface Way {
        void in();
    }

    /** Something that can lead to instrumented code, so that whoever calls it has a context. */
    static void busy(Way way) {
        if (way != null) way.in();
    }

    static void behindACall() {
        busy(() -> sum++);
        synchronized (LOCK) {
            sum++;
        }
        busy(null);
    }

    static void recursive(int depth) {
        if (depth > 0) {
            recursive(depth - 1);
            return;
        }
        synchronized (LOCK) {
            busy(null);
        }
    }

    static void calledBack() {
        List.of(1).forEach(i -> {
            busy(null);
            synchronized (LOCK) {
                busy(null);
            }
        });
    }

    static synchronized void atEntry() {
        busy(null);
    }

    static final class Made {
        Made() {
            this(1);
            busy(null);
        }

        Made(int i) {
            busy(null);
            synchronized (LOCK) {
                sum += i;
            }
        }
    }

    static void caught() {
        try {
            busy(() -> {
                throw new IllegalStateException();
            });
        } catch (IllegalStateException e) {
            synchronized (LOCK) {
                busy(null);
            }
        }
    }

    static String line(StackTraceElement[] stack) {
        StringBuilder line = new StringBuilder();
        for (StackTraceElement frame : stack) {
            // The hidden classes of lambdas have no hooks; JDK 11 shows their frames.
            if (!frame.getClassName().startsWith("hazards.") || frame.getClassName().contains("$$Lambda")) continue;
            line.append(' ').append(frame.getClassName()).append('.').append(frame.getMethodName());
            line.append('(').append(frame.getFileName()).append(':').append(frame.getLineNumber()).append(')');
        }
        return line.toString();
    }

    private static String waiting(Object monitor, Way way) throws Exception {
        Thread thread = new Thread(way::in);
        String line;
        synchronized (monitor) {
            thread.start();
            while (thread.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            line = line(thread.getStackTrace());
        }
        thread.join();
        return line;
    }

    public static void main(String[] args) throws Exception {
        Way[] ways = {
            Waiting::behindACall, () -> recursive(0), () -> recursive(7), Waiting::calledBack, Made::new, Waiting::caught,
        };
        TreeMap<String, Integer> seen = new TreeMap<>();
        for (int i = 0; i < TIMES; i++) {
            for (Way way : ways) seen.merge(waiting(LOCK, way), 1, Integer::sum);
            seen.merge(waiting(Waiting.class, Waiting::atEntry), 1, Integer::sum);
        }
        seen.forEach((line, times) -> System.out.println("expected " + times + " times:" + line));
    }
}
