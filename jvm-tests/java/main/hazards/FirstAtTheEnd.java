package hazards;

import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.lucce.Lucce;

/** What the API and followed tasks need is first used where the stack ends; it works behind that as it would have else. */
public final class FirstAtTheEnd {
    private static final int LEVELS = 100;
    static final Runnable BODY = FirstAtTheEnd::body;
    static int sink;
    static int levels;
    static ExecutorService pool;

    private FirstAtTheEnd() {}

    /** Which class is first used. */
    static void use(int what) {
        if (what == 0) Lucce.removeListener("none", null);
        else if (what == 1) Lucce.wrap(BODY);
        else pool.execute(null);
    }

    /** To the end of the stack, and some way back: a use fails sooner, or in the class's initialiser, or not at all. */
    static int back(int what) {
        try {
            return back(what) + 1;
        } catch (StackOverflowError e) {
            try {
                use(what);
            } catch (StackOverflowError | NoClassDefFoundError | NullPointerException expected) {
                sink++;
            }
            if (++levels % LEVELS != 0) throw e;
            return 0;
        }
    }

    static void body() {
        Lucce.event("body");
    }

    private static void run() {
        for (int what = 0; what < 3; what++) sink += back(what);
    }

    public static void main(String[] args) throws Exception {
        pool = Executors.newFixedThreadPool(1);
        // What loads classes, or makes them, is done before: it takes more of the stack than they do to begin with.
        Lucce.runId();
        Lucce.site();
        for (String name : new String[] {"Listeners", "Origin"}) {
            Class.forName("org.lucce." + name, false, FirstAtTheEnd.class.getClassLoader()).getDeclaredMethods();
        }
        Thread thread = new Thread(null, FirstAtTheEnd::run, "first at the end", 160 << 10);
        thread.start();
        thread.join();
        Lucce.addListener("told", (kind, value, captured) -> System.out.println(kind + " " + value));
        Lucce.event("told", 7);
        Lucce.wrap(BODY).run();
        pool.execute(BODY);
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }
}
