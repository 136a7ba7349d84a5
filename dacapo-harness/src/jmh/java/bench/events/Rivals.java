package bench.events;

import java.util.concurrent.TimeUnit;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The cost of a stack trace got by what needs more than Java code: JVMTI, and a JFR event in a recording that keeps nothing else. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Rivals {
    private static final int SLOW = 200;

    @Param({"10", "50", "200", "1000"})
    public int depth;

    /** An event with its stack. */
    @Name("bench.Tick")
    @StackTrace(true)
    static final class Tick extends Event {
        long number;
    }

    /** The library, opened. */
    @State(Scope.Thread)
    public static class Library {
        @Setup
        public void open() {
            System.load(System.getProperty("bench.native"));
            if (!Native.open()) throw new IllegalStateException("no JVMTI");
        }
    }

    /** A recording in memory. */
    @State(Scope.Thread)
    public static class Recorder {
        private final Recording recording = new Recording();

        @Setup
        public void start() {
            recording.setToDisk(false);
            recording.enable(Tick.class).withStackTrace();
            recording.start();
            if (!new Tick().isEnabled()) throw new IllegalStateException("the event is not recorded");
        }

        @TearDown
        public void stop() {
            recording.close();
        }
    }

    @Benchmark
    @OperationsPerInvocation(SLOW)
    public long jvmti(Library library) {
        return Depths.descend(depth, () -> {
            long frames = 0;
            for (int i = 0; i < SLOW; i++) frames += Native.walk();
            if (frames < (long) SLOW * depth) throw new IllegalStateException(frames + " frames");
            return frames;
        });
    }

    @Benchmark
    @OperationsPerInvocation(SLOW)
    public long jfr(Recorder recorder) {
        return Depths.descend(depth, () -> {
            for (int i = 0; i < SLOW; i++) {
                Tick tick = new Tick();
                tick.number = i;
                tick.commit();
            }
            return SLOW;
        });
    }
}
