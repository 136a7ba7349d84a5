package hazards;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.lucce.Lucce;

/**
 * Events on several threads in contexts that are ever new: a path of 10 calls and a recursion as deep as the event's number says. The arguments are
 * the number of threads, of events of each, and either for how many milliseconds it waits before the first of them, or the name of a file: with that it
 * makes as many again and again until the file is there, and says how many a listener heard of.
 */
public final class Steady {
    private static final int CALLS = 10;
    private static final AtomicLong SUM = new AtomicLong();
    private static final AtomicLong HEARD = new AtomicLong();

    private Steady() {}

    interface Turn {
        long take(int left, int path, long value);
    }

    static final Turn LEFT = (left, path, value) -> turn(left, path, value);
    static final Turn RIGHT = new Turn() {
        @Override
        public long take(int left, int path, long value) {
            return 1 + turn(left, path, value);
        }
    };

    static long turn(int left, int path, long value) {
        if (left == 0) {
            return sink((int) (value % 7), value);
        }
        return ((path & 1) == 0 ? LEFT : RIGHT).take(left - 1, path >>> 1, value);
    }

    static long sink(int deep, long value) {
        if (deep > 0) {
            return 1 + sink(deep - 1, value);
        }
        Lucce.event("steady", value);
        return value;
    }

    static void work(int thread, int events) {
        long sum = 0;
        for (int i = 0; i < events; i++) {
            sum += turn(CALLS, i * 0x9E3779B1 >>> 22, (long) thread << 32 | i);
        }
        SUM.addAndGet(sum);
    }

    /** So that a program which waits for a slow machine fills no disk. It throws an exception, too. */
    static void pause(Path end) {
        if (end == null) return;
        LockSupport.parkNanos(1_000_000);
        try {
            SUM.addAndGet(Integer.parseInt("no number"));
        } catch (NumberFormatException e) {
            SUM.addAndGet(1);
        }
    }

    /** Has a method that is entered now hooks? */
    static boolean isHooked() {
        return Lucce.context() != 0 || Lucce.site() != 0 || Lucce.capture() != 0;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int events = Integer.parseInt(args[1]);
        String more = args.length > 2 ? args[2] : "0";
        boolean waits = Character.isDigit(more.charAt(0));
        Path end = waits ? null : Path.of(more);
        System.out.println("started");
        System.out.flush();
        if (end != null) Lucce.addListener("steady", (kind, value, captured) -> HEARD.incrementAndGet());
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            all.add(new Thread(() -> {
                do {
                    work(thread, events);
                    pause(end);
                } while (end != null && !Files.exists(end));
            }, "steady-" + t));
        }
        Thread.sleep(waits ? Long.parseLong(more) : 0);
        for (Thread thread : all) {
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (end == null) {
            System.out.println("sum " + SUM);
        } else {
            System.out.println("hooked " + isHooked() + ", heard " + HEARD);
        }
    }
}
