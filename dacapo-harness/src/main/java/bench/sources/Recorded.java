package bench.sources;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * What a recording says of allocations: {@code bench.sources.Recorded <file>}. Prints {@code deepest <frames>}, {@code cut <events whose
 * stack was cut>}, and {@code at <class> <events>} for each class in whose method something was allocated ({@code -} where there is no stack).
 */
public final class Recorded {
    private static final String ALLOCATIONS = "jdk.ObjectAllocation";

    private Recorded() {}

    public static void main(String[] args) throws IOException {
        Map<String, Long> byClass = new TreeMap<>();
        long deepest = 0, cut = 0;
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (!event.getEventType().getName().startsWith(ALLOCATIONS)) continue;
                RecordedStackTrace stack = event.getStackTrace();
                List<RecordedFrame> frames = stack == null ? List.of() : stack.getFrames();
                if (stack != null && stack.isTruncated()) cut++;
                deepest = Math.max(deepest, frames.size());
                byClass.merge(frames.isEmpty() ? "-" : frames.get(0).getMethod().getType().getName(), 1L, Long::sum);
            }
        }
        System.out.printf("deepest %d%ncut %d%n", deepest, cut);
        byClass.forEach((name, events) -> System.out.printf("at %s %d%n", name, events));
    }
}
