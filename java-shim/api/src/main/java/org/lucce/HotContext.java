package org.lucce;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A context that has a share of all entries of methods, or perhaps has it, as far as the agent has
 * sampled them (its option {@code profile}). {@link Lucce#hot(double)} gives all of them. It does
 * not change; a later question gives new ones.
 */
public final class HotContext {
    /** Numbers of a context, as the agent gives them. */
    private static final int NUMBERS = 6;

    private final long context;
    private final long samples;
    private final long mostSamples;
    private final boolean hot;
    private final double low;
    private final double high;

    private HotContext(long[] numbers, int at) {
        context = numbers[at];
        samples = numbers[at + 1];
        mostSamples = numbers[at + 2];
        hot = numbers[at + 3] != 0;
        low = Double.longBitsToDouble(numbers[at + 4]);
        high = Double.longBitsToDouble(numbers[at + 5]);
    }

    /**
     * The context as {@link Lucce#capture()} would give its number: for {@link Lucce#trace(long)},
     * or to be compared. Its innermost frame is the method that was entered, at its beginning. 0
     * where its classes were unloaded.
     */
    public long context() {
        return context;
    }

    /** How many samples it has, at least. */
    public long samples() {
        return samples;
    }

    /**
     * How many it has at most: more than at least only where contexts have taken over the counters
     * of others ({@code hot=<share>}).
     */
    public long mostSamples() {
        return mostSamples;
    }

    /**
     * Its share of all entries is not less, from 0 to 1, with a probability of 95 %. With
     * {@code profile=<time>} it is the share of the time until the next entry; with bursts the
     * share of the samples, for what lies between bursts is unknown.
     */
    public double low() {
        return low;
    }

    /** Its share is not more. */
    public double high() {
        return high;
    }

    /**
     * Has it the share that was asked for, whatever its share is between {@link #low()} and
     * {@link #high()}? If not, it is perhaps hot.
     */
    public boolean isHot() {
        return hot;
    }

    /** Its frames, innermost first: {@link Lucce#trace(long)} of its context. */
    public StackTraceElement[] trace() {
        return Lucce.trace(context);
    }

    @Override
    public String toString() {
        return (hot ? "hot: " : "perhaps: ") + 100 * low + " to " + 100 * high + " %, " + samples + " samples at n" + context;
    }

    /** What the agent gives, as a list that cannot be changed. */
    static List<HotContext> of(long[] numbers) {
        List<HotContext> all = new ArrayList<>(numbers.length / NUMBERS);
        for (int at = 0; at + NUMBERS <= numbers.length; at += NUMBERS) all.add(new HotContext(numbers, at));
        return Collections.unmodifiableList(all);
    }
}
