package bench.programs;

import bench.Place;
import bench.Program;

/** {@code Deep:<frames>}: the work of {@link Calls} on top of a recursion of that depth. */
public final class Deep implements Program {
    private static final int ROUNDS = 4_000_000;

    private final int depth;
    private final Calls calls = new Calls();
    private long result;

    public Deep(String[] arguments) {
        depth = Integer.parseInt(arguments[0]);
    }

    @Override
    public void prepare(Place place) {
        calls.prepare(place);
    }

    @Override
    public void iterate() throws InterruptedException {
        // A stack that holds ten thousand interpreted frames.
        Thread thread = new Thread(null, () -> result = descend(depth), "deep", 64L << 20);
        thread.start();
        thread.join();
    }

    private long descend(int left) {
        if (left == 0) return calls.work(ROUNDS);
        return left % 2 == 0 ? descend(left - 1) + 1 : other(left - 1) + 1;
    }

    private long other(int left) {
        return descend(left) + 1;
    }

    @Override
    public long validate() {
        if (result == 0) throw new IllegalStateException("the thread did not reach its end");
        return result;
    }
}
