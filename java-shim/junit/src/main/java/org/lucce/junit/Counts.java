package org.lucce.junit;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.lucce.Measurement;
import org.lucce.Tally;

/**
 * What was counted in and below a test method.
 *
 * <p><b>Invariant.</b> What the test framework does between its call and the test method's frame is
 * not in it, nor what is below a class initialiser or the linking of a call site: that comes once
 * in a JVM, for whichever test is first. Where tests run in parallel, a thread that waits in a test
 * may run another one meanwhile, or start a thread for others: that is not in it either.
 */
final class Counts {
    /** So many contexts are printed of a budget. */
    private static final int SHOWN = 20;

    final List<Count> all;
    private final Measurement measured;

    private Counts(List<Count> all, Measurement measured) {
        this.all = all;
        this.measured = measured;
    }

    static Counts of(Measurement measured, Method test) {
        List<Count> all = new ArrayList<>();
        for (Tally tally : measured.tallies()) {
            StackTraceElement[] frames = measured.trace(tally);
            int own = frames.length - 1;
            while (own >= 0 && !isOf(frames[own], test)) own--;
            if (own < 0) continue;
            Count count = new Count(tally, Arrays.copyOf(frames, own + 1));
            if (!count.isLinkage() && !count.isOfEngine()) all.add(count);
        }
        return new Counts(all, measured);
    }

    private static boolean isOf(StackTraceElement frame, Method test) {
        return frame.getMethodName().equals(test.getName()) && frame.getClassName().equals(test.getDeclaringClass().getName());
    }

    /** Does the agent count this kind? */
    boolean has(String kind) {
        return measured.counts(kind);
    }

    /** The calls of a method. */
    List<Count> calls(String method) {
        return all.stream().filter(count -> !count.isAllocation() && count.isIn(method::equals)).collect(Collectors.toList());
    }

    /** Contexts with their numbers, the largest first, a line in front. */
    static String print(String line, List<Count> counts, boolean bytes) {
        StringBuilder text = new StringBuilder(line);
        Comparator<Count> largest = Comparator.comparingLong(count -> bytes ? -count.bytes : -count.count);
        counts.stream().sorted(largest).limit(SHOWN).forEach(count -> {
            String what = count.type == null ? "calls" : "of " + count.type;
            text.append("\n    ").append(count.count).append(' ').append(what);
            if (bytes) text.append(", ").append(count.bytes).append(" bytes");
            text.append(count.trace());
        });
        if (counts.size() > SHOWN) text.append("\n    and ").append(counts.size() - SHOWN).append(" other contexts");
        return text.toString();
    }
}
