package hazards;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.lucce.Lucce;
import org.lucce.LucceMdc;

/** The whole Java API, each call with a context that the target knows itself; without the agent it is a no-op. */
public final class Api {
    private static final int COUNTED = Lucce.kind("counted");
    private static final String QUIET = "quiet";

    private Api() {}

    static long earlier() {
        return Lucce.capture();
    }

    /** Events of all shapes. What is printed is their kind, value, class and innermost frame. */
    static void shapes() {
        Lucce.event("plain");
        Lucce.event("typed", 2, String[].class);
        Lucce.event("typed", 3, null);
        Lucce.event(COUNTED, 4);
        Lucce.event("captured", 5, earlier());
        Lucce.event(COUNTED, 6, earlier());
        Lucce.event("captured", 7, 0);
        Lucce.event("captured", 8, Long.MAX_VALUE);
        Check.equal(COUNTED, Lucce.kind("counted"));
        Check.equal(Lucce.active(), COUNTED > 0);
        Lucce.event(COUNTED + 1000, 9);
        Lucce.event(-1, 9);
    }

    /** A listener hears of the context of the call, on its own thread; what it throws or logs itself harms nobody. */
    static void listeners() throws InterruptedException {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        Lucce.Listener listener = (kind, value, captured) -> {
            StackTraceElement top = Lucce.trace(captured)[0];
            heard.add(kind + " " + value + " " + top.getMethodName() + ":" + top.getLineNumber() + " " + Thread.currentThread().getName());
            // Logged, and told to nobody.
            Lucce.event("heard", 100 + value);
        };
        Lucce.addListener("heard", (kind, value, captured) -> {
            throw new StackOverflowError("of the listener's own");
        });
        Lucce.addListener("heard", listener);
        Lucce.addListener("counted", listener);
        String line = ":" + new Throwable().getStackTrace()[0].getLineNumber() + " main"; Lucce.event("heard", 1); Lucce.event(COUNTED, 2); Lucce.event("other", 3);
        Thread thread = new Thread(() -> Lucce.event("heard", 4, earlier()), "another");
        thread.start();
        thread.join();
        Lucce.removeListener("heard", listener);
        Lucce.event("heard", 5);
        if (Lucce.active()) {
            Check.equal(List.of("heard 1 listeners" + line, "counted 2 listeners" + line, "heard 4 earlier:21 another"), heard);
        } else {
            Check.equal(List.of(), heard);
        }
    }

    /** The attribute names the context of the call that puts it. */
    static void bridges() {
        Map<String, String> mdc = new HashMap<>();
        long captured = LucceMdc.put(mdc::put); long expected = Lucce.capture();
        if (Lucce.active()) {
            StackTraceElement[] put = Lucce.trace(captured);
            StackTraceElement[] here = Lucce.trace(expected);
            Check.equal(here[0], put[0]);
            Check.equal(here.length, put.length);
            Check.equal(captured, Lucce.parse(mdc.get(LucceMdc.KEY)));
            Check.equal(16, mdc.get(LucceMdc.KEY).length());
        }
        LucceMdc.remove(mdc::remove);
        Check.equal(Map.of(), mdc);
    }

    /** Calls that no agent can replace: by reflection, from here. They find the nearest activation. */
    static void reflected() throws Exception {
        long context = (long) Lucce.class.getMethod("context").invoke(null); int site = (int) Lucce.class.getMethod("site").invoke(null); StackTraceElement[] real = new Throwable().getStackTrace();
        StackTraceElement[] found = Lucce.trace(context, site);
        Check.equal(Lucce.active() ? real.length : 0, found.length);
        for (int i = 0; i < found.length; i++) {
            Check.equal(real[i].getMethodName() + real[i].getLineNumber(), found[i].getMethodName() + found[i].getLineNumber());
        }
    }

    /** What a wrapped task does happens in the origin of the place where it was wrapped, and only that. */
    static void wrapped() throws Exception {
        Runnable task = Lucce.wrap((Runnable) () -> Lucce.event("wrapped", 1)); Callable<Integer> call = Lucce.wrap((Callable<Integer>) () -> { Lucce.event("wrapped", 2); return 3; });
        long carried = earlier();
        Thread thread = new Thread(() -> {
            Lucce.event("unwrapped", 1);
            Lucce.event("carried", 1, carried);
            task.run();
            try {
                Check.equal(3, call.call());
            } catch (Exception e) {
                Check.fail(e.toString());
            }
            try {
                Lucce.wrap((Runnable) () -> { throw new IllegalStateException("as thrown"); }).run();
                Check.fail("nothing thrown");
            } catch (IllegalStateException e) {
                Check.equal("as thrown", e.getMessage());
            }
            Lucce.event("unwrapped", 2);
        });
        thread.start();
        thread.join();
    }

    /** Events allocate nothing, once all has been used. */
    static void allocations() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            many();
            long after = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            least = Math.min(least, after - before);
        }
        // The measurement itself may allocate a little.
        Check.equal(true, least < 1000);
    }

    private static void many() {
        for (int i = 0; i < 1000; i++) {
            Lucce.event(QUIET);
            Lucce.event(QUIET, i);
            Lucce.event(QUIET, i, String.class);
            Lucce.event(QUIET, i, 0);
            Lucce.event(COUNTED, i);
            Lucce.event(COUNTED, i, 0);
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "shapes": shapes(); break;
            case "listeners": listeners(); break;
            case "bridges": bridges(); break;
            case "reflected": reflected(); break;
            case "wrapped": wrapped(); break;
            default: allocations();
        }
        Check.here();
        Check.done("Api");
    }
}
