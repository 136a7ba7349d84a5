package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Two thousand virtual threads (JDK 21 and later), each of which works in twenty slices and lets the others run in between, some calls deep. */
public final class Virtual implements Program {
    private static final int THREADS = 2000;
    private static final int SLICES = 20;
    private static final int ROUNDS = 100;

    private final Calls calls = new Calls();
    private final long[] results = new long[THREADS];
    private Method start;

    @Override
    public void prepare(Place place) throws Exception {
        // By reflection: this is compiled for JDK 11.
        start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        calls.prepare(place);
    }

    @Override
    public void iterate() throws InterruptedException, ReflectiveOperationException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            Runnable body = () -> results[number] = slices(number, SLICES);
            try {
                threads.add((Thread) start.invoke(null, body));
            } catch (InvocationTargetException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
        for (Thread thread : threads) thread.join();
    }

    private long slices(int number, int left) {
        if (left == 0) return number;
        long here = calls.work(ROUNDS + left);
        Thread.yield();
        return here * 31 + slices(number, left - 1);
    }

    @Override
    public long validate() {
        Digest digest = new Digest();
        for (long result : results) digest.add(result);
        return digest.value();
    }
}
