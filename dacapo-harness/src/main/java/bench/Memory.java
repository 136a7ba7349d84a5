package bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the process holds, after a collection, in KiB; 0 where the system does not say. */
final class Memory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");
    private static final long FOUR_GIB = 1L << 32;

    private Memory() {}

    /** {@code <largest resident set> <resident set> <resident outside the Java heap> <live Java heap>}. */
    static String now() throws IOException {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long live = (runtime.totalMemory() - runtime.freeMemory()) >> 10;
        long resident = status("VmRSS:");
        long heap = heap(runtime.maxMemory());
        return status("VmHWM:") + " " + resident + " " + (heap == 0 ? 0 : resident - heap) + " " + live;
    }

    private static long status(String name) throws IOException {
        if (!Files.isReadable(STATUS)) return 0;
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith(name)) return kib(line);
        }
        return 0;
    }

    /**
     * Of the Java heap: HotSpot puts one of up to 2 GiB right below the fourth. 0 if no mappings of that size lie there. A mapping may go on
     * a little beyond the heap, with a table of the collector's; that much is counted with it.
     */
    private static long heap(long size) throws IOException {
        if (!Files.isReadable(MAPPINGS)) return 0;
        long mapped = 0, resident = 0;
        boolean inside = false;
        for (String line : Files.readAllLines(MAPPINGS)) {
            int dash = line.indexOf('-'), space = line.indexOf(' ');
            if (dash > 0 && dash < space && line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                long from = Long.parseUnsignedLong(line.substring(0, dash), 16);
                long to = Long.parseUnsignedLong(line.substring(dash + 1, space), 16);
                inside = from >= FOUR_GIB - size && from < FOUR_GIB;
                if (inside) mapped += Math.min(to, FOUR_GIB) - from;
            } else if (inside && line.startsWith("Rss:")) {
                resident += kib(line);
            }
        }
        return mapped == size ? resident : 0;
    }

    private static long kib(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }
}
