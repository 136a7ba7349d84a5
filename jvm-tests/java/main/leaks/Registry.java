package leaks;

import java.util.ArrayDeque;
import java.util.Collection;

/** A static collection behind an interface: metrics that are recorded and never drained. */
public final class Registry extends Service {
    interface Metrics {
        void record(String name, long value);
    }

    static final class Sample {
        final String name;
        final long[] values = new long[24];

        Sample(String name, long value) {
            this.name = name;
            values[0] = value;
        }
    }

    private static final class Kept implements Metrics {
        private static final Collection<Sample> SAMPLES = new ArrayDeque<>();

        @Override
        public void record(String name, long value) {
            SAMPLES.add(new Sample(name, value));
        }
    }

    private static final class Printed implements Metrics {
        @Override
        public void record(String name, long value) {
            if (value < 0) System.out.println(new Sample(name, value).values.length);
        }
    }

    private final Metrics[] metrics = {new Printed(), new Kept()};

    @Override
    void handle(int request) {
        metrics[request % 2].record("latency", request);
    }

    public static void main(String[] args) throws Exception {
        new Registry().run();
    }
}
