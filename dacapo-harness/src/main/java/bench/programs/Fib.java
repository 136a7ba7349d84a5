package bench.programs;

import bench.Place;
import bench.Program;

/** Fibonacci numbers by the definition: nothing but recursion. */
public final class Fib implements Program {
    private static final int N = 36;

    private int result;

    @Override
    public void prepare(Place place) {}

    @Override
    public void iterate() {
        result = fib(N);
    }

    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    @Override
    public long validate() {
        if (result != 14930352) throw new IllegalStateException("fib(" + N + ") = " + result);
        return result;
    }
}
