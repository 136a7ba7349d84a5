package bench.events;

import java.lang.invoke.VarHandle;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.lucce.Lucce;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of a context, got in several ways, with {@code depth} frames between JMH and the event. The stack is descended once for many
 * events. {@code loop} is the loop without an event; {@code paths} leads to ten thousand places in shuffled order, with nothing there.
 * A fence in each loop, which costs no instruction on x86-64, keeps the compiler from reading memory once for all events.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EventCost {
    private static final int FAST = 20_000;
    private static final int SLOW = 200;
    private static final int PATHS = 10_000;

    @Param({"10", "50", "200", "1000"})
    public int depth;

    private final int[] shuffled = new int[PATHS];

    @Setup
    public void setup() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < PATHS; i++) {
            int other = random.nextInt(i + 1);
            shuffled[i] = shuffled[other];
            shuffled[other] = i;
        }
        if (Lucce.runId() == 0) throw new IllegalStateException("no agent");
    }

    @Benchmark
    @OperationsPerInvocation(FAST)
    public long loop() {
        return Depths.descend(depth, () -> {
            long hash = 0;
            for (int i = 0; i < FAST; i++) {
                VarHandle.acquireFence();
                hash = hash * 31 + i;
            }
            return hash;
        });
    }

    @Benchmark
    @OperationsPerInvocation(FAST)
    public long context() {
        return Depths.descend(depth, () -> {
            long hash = 0;
            for (int i = 0; i < FAST; i++) {
                VarHandle.acquireFence();
                hash = hash * 31 + (i ^ Lucce.context());
            }
            return hash;
        });
    }

    @Benchmark
    @OperationsPerInvocation(FAST)
    public long capture() {
        return Depths.descend(depth, () -> {
            long hash = 0;
            for (int i = 0; i < FAST; i++) {
                VarHandle.acquireFence();
                hash = hash * 31 + (i ^ Lucce.capture());
            }
            return hash;
        });
    }

    @Benchmark
    @OperationsPerInvocation(PATHS)
    public long paths() {
        return Depths.descend(depth, () -> {
            long hash = 0;
            for (int path : shuffled) hash = hash * 31 + EmptyPaths.l0d0(path);
            return hash;
        });
    }

    @Benchmark
    @OperationsPerInvocation(PATHS)
    public long capturePaths() {
        return Depths.descend(depth, () -> {
            long hash = 0;
            for (int path : shuffled) hash = hash * 31 + CapturePaths.l0d0(path);
            return hash;
        });
    }

    /** A recursion of that depth: each of its calls is a cut edge. */
    @Benchmark
    @OperationsPerInvocation(FAST)
    public long captureChain() {
        return recurse(depth);
    }

    private static long recurse(int depth) {
        if (depth > 1) return recurse(depth - 1) + 1;
        long hash = 0;
        for (int i = 0; i < FAST; i++) {
            VarHandle.acquireFence();
            hash = hash * 31 + (i ^ Lucce.capture());
        }
        return hash;
    }

    /** The end of a recursion of that depth, left and entered again: each time through a cut edge, into a new activation. */
    @Benchmark
    @OperationsPerInvocation(FAST)
    public long activations() {
        return again(depth, false);
    }

    @Benchmark
    @OperationsPerInvocation(FAST)
    public long captureActivations() {
        return again(depth, true);
    }

    private static long again(int depth, boolean capture) {
        if (depth == 0) return capture ? Lucce.capture() : 0;
        if (depth > 1) return again(depth - 1, capture) + 1;
        long hash = 0;
        for (int i = 0; i < FAST; i++) {
            VarHandle.acquireFence();
            hash = hash * 31 + (i ^ again(0, capture));
        }
        return hash;
    }

    @Benchmark
    @OperationsPerInvocation(SLOW)
    public long stackWalker() {
        return slow(() -> StackWalker.getInstance().<Long>walk(Stream::count));
    }

    /** The walk alone: the frames are not yet made into elements. */
    @Benchmark
    @OperationsPerInvocation(SLOW)
    public long throwable() {
        return slow(() -> new Throwable().hashCode());
    }

    @Benchmark
    @OperationsPerInvocation(SLOW)
    public long throwableTrace() {
        return slow(() -> new Throwable().getStackTrace().length);
    }

    @Benchmark
    @OperationsPerInvocation(SLOW)
    public long threadTrace() {
        return slow(() -> Thread.currentThread().getStackTrace().length);
    }

    /** Events beside whose cost that of calling them does not show. Those of Lucce are spelled out: a call is what they are to be cheap beside. */
    private long slow(Body event) {
        return Depths.descend(depth, () -> {
            long sum = 0;
            for (int i = 0; i < SLOW; i++) sum += event.run();
            return sum;
        });
    }
}
