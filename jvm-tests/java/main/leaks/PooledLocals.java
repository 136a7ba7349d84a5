package leaks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A pool's threads, each with an audit trail in a ThreadLocal that nobody empties. */
public final class PooledLocals extends Service {
    private static final ThreadLocal<List<char[]>> TRAIL = ThreadLocal.withInitial(ArrayList::new);
    private final ExecutorService pool = Executors.newFixedThreadPool(3, PooledLocals::thread);

    /** Its threads end with the process. */
    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    private static char[] entry(int request) {
        char[] entry = new char[150];
        entry[request % entry.length] = 'x';
        return entry;
    }

    private static void audited(int request) {
        TRAIL.get().add(entry(request));
    }

    @Override
    void handle(int request) throws Exception {
        if (request % 2 == 0) pool.submit(() -> audited(request)).get();
    }

    public static void main(String[] args) throws Exception {
        new PooledLocals().run();
    }
}
