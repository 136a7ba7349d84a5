package leaks;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * A small service: handles requests, and makes garbage as services do. Collections come by themselves, or are asked for every so many
 * requests with {@code -Dcollect=<n>}, for collectors that would take long to need one.
 */
abstract class Service {
    private static final int COLLECT = Integer.getInteger("collect", 0);
    private static final int REQUESTS = Integer.getInteger("requests", 20_000);
    private static final Object[] RECENT = new Object[2000];
    /** What sampling must not keep alive. */
    private static final List<WeakReference<Object>> PROBES = new ArrayList<>();
    private static final int PROBED = 200;
    /** Services live as long as their process: what they hold has a root until the very end. */
    private static Service running;

    abstract void handle(int request) throws Exception;

    /** Handles all requests; says at the end whether everything that was dropped on the way could be collected. */
    final void run() throws Exception {
        running = this;
        for (int request = 0; request < REQUESTS; request++) {
            handle(request);
            garbage(request);
            if (COLLECT > 0 && request % COLLECT == COLLECT - 1) {
                System.gc();
                // Services wait, too; else collections come faster than anybody can look at what has survived.
                Thread.sleep(20);
            }
        }
        for (int i = 0; i < PROBED; i++) PROBES.add(new WeakReference<>(new byte[4096]));
        // A concurrent collection keeps what was there when it began.
        for (int i = 0; i < 100 && alive() > 0; i++) {
            System.gc();
            Thread.sleep(1);
        }
        System.out.println(alive() + " dropped objects are alive");
        System.out.println("served");
    }

    private static long alive() {
        return PROBES.stream().filter(probe -> probe.get() != null).count();
    }

    /** Most of it dies young, some lives for a while. */
    private static void garbage(int request) {
        for (int i = 0; i < 4; i++) {
            byte[] buffer = new byte[1024];
            if (i == 0) RECENT[request % RECENT.length] = buffer;
        }
    }
}
