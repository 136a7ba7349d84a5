package leaks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A pool's threads, each with an audit trail in a ThreadLocal that nobody empties. */
public final class PooledLocals extends Service {
    private static final ThreadLocal<List<char[]>> TRAIL = ThreadLocal.withInitial(ArrayList::new);
    private final ExecutorService pool = Executors.newFixedThreadPool(3);

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
        PooledLocals service = new PooledLocals();
        service.run();
        service.pool.shutdown();
    }
}
