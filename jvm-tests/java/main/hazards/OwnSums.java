package hazards;

import java.util.List;
import java.util.TreeMap;
import java.util.Map;
import org.lucce.Lucce;
import org.lucce.Tally;

/**
 * Asks for the sums of what it has done, and prints those of contexts that lead through a method named {@code make...}: kind, class, methods
 * from the outermost to the innermost, number and value. Behind that it makes nothing there. Without the agent it prints nothing.
 */
public final class OwnSums {
    static volatile Object sink;

    private OwnSums() {}

    public static void main(String[] args) {
        for (int round = 0; round < 3; round++) {
            makeAll(1_000);
            // What is asked meanwhile changes nothing.
            Lucce.tallies();
        }
        List<Tally> all = Lucce.tallies();
        print(all);
        if (Lucce.tallies("alloc").size() + Lucce.tallies("entry").size() < all.size()) throw new AssertionError("a kind lacks sums");
        if (!Lucce.tallies("cpu").isEmpty()) throw new AssertionError("sums of a kind that is not counted");
        long before = Long.MAX_VALUE;
        for (Tally tally : Lucce.tallies("entry")) {
            if (!tally.kind().equals("entry") || tally.className() != null || tally.value() != tally.count()) throw new AssertionError(tally);
            if (tally.value() > before) throw new AssertionError("not the largest first: " + tally);
            before = tally.value();
        }
        try {
            all.add(null);
            throw new AssertionError("it was changed");
        } catch (UnsupportedOperationException expected) {
            // As it should be.
        }
    }

    static void makeAll(int times) {
        for (int i = 0; i < times; i++) {
            sink = new int[i % 10];
            sink = new String[2][3];
            sink = new Object();
            makeHot(i % 4);
        }
    }

    /** Recursion: contexts with shadow stacks. */
    static void makeHot(int depth) {
        sink = new StringBuilder();
        if (depth > 0) makeHot(depth - 1);
    }

    private static void print(List<Tally> all) {
        Map<String, long[]> lines = new TreeMap<>();
        for (Tally tally : all) {
            StackTraceElement[] frames = tally.trace();
            StringBuilder methods = new StringBuilder();
            boolean makes = false;
            for (int i = frames.length - 1; i >= 0; i--) {
                makes |= frames[i].getMethodName().startsWith("make");
                methods.append(methods.length() > 0 ? ">" : "").append(frames[i].getMethodName());
            }
            if (!makes) continue;
            String name = tally.className() == null ? "-" : tally.className();
            long[] sum = lines.computeIfAbsent(tally.kind() + " " + name + " " + methods, unused -> new long[2]);
            sum[0] += tally.count();
            sum[1] += tally.value();
        }
        lines.forEach((line, sum) -> System.out.println(line + " " + sum[0] + " " + sum[1]));
    }
}
