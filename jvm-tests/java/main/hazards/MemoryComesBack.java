package hazards;

import java.util.Arrays;
import org.lucce.Lucce;

/**
 * Recursion that has no memory for its thread's shadow stack for some levels, and has it again below: contexts are lost in between, and none behind.
 */
public final class MemoryComesBack {
    /** The shadow stack grows where its length is a power of two, which these stand around. */
    private static final int FULL = 4_000;
    private static final int FREE = 4_150;
    private static final int DEPTH = 4_200;

    private static final byte[][] BLOCKS = new byte[1 << 16][];
    private static int blocks;
    private static int lost;

    private MemoryComesBack() {}

    private static void fill() {
        for (int size = 1 << 20; size >= 1 << 12; size /= 2) {
            try {
                while (true) BLOCKS[blocks++] = new byte[size];
            } catch (OutOfMemoryError e) {
                // With smaller ones.
            }
        }
    }

    private static void free() {
        Arrays.fill(BLOCKS, null);
    }

    static long down(int level) {
        if (level == FULL) fill();
        if (level > FULL && level <= FREE && Lucce.context() == 1) lost++;
        if (level == FREE) free();
        return level == DEPTH ? Lucce.capture() : down(level + 1);
    }

    public static void main(String[] args) {
        // The method's own links are known, so that nothing else needs memory.
        down(DEPTH - 10);
        long captured = down(0);
        StackTraceElement[] trace = Lucce.trace(captured);
        String base = trace.length == 0 ? "none" : trace[trace.length - 1].getMethodName();
        System.out.println((lost > 0) + " " + trace.length + " " + base);
    }
}
