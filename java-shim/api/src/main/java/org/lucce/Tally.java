package org.lucce;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/**
 * A sum of what the agent has counted (its options {@code alloc=all} and {@code entries}): of one
 * kind, in one context, of one class. {@link Lucce#tallies()} gives all of them. A tally does not
 * change; a later question gives new ones.
 */
public final class Tally {
    /** In the agent's order. */
    private static final String[] KINDS = {"alloc", "entry"};
    /** Numbers of a sum: kind, context, count and value. */
    private static final int NUMBERS = 4;

    private final String kind;
    private final String className;
    private final long context;
    private final long count;
    private final long value;
    /**
     * Of a task of a measurement: the contexts in which it was handed over, the nearest first; else
     * null.
     */
    private final long[] handedOver;

    private Tally(long[] numbers, int at, String name, long[] handedOver) {
        kind = KINDS[(int) numbers[at]];
        className = name == null ? null : readable(name);
        context = numbers[at + 1];
        count = numbers[at + 2];
        value = numbers[at + 3];
        this.handedOver = handedOver;
    }

    private Tally(Tally of, long count, long value) {
        kind = of.kind;
        className = of.className;
        context = of.context;
        this.count = count;
        this.value = value;
        handedOver = of.handedOver;
    }

    /** What tells it from the others of a measurement. */
    List<Object> key() {
        return Arrays.asList(kind, context, className, handedOver == null ? null : Arrays.toString(handedOver));
    }

    /**
     * The contexts in which the task was handed over that did this, the nearest first; none for
     * what the thread itself has done.
     */
    long[] handedOver() {
        return handedOver == null ? new long[0] : handedOver;
    }

    /** Both, of one kind, context and class. */
    Tally plus(Tally other) {
        return new Tally(this, count + other.count, value + other.value);
    }

    /** What came to it since {@code before}, of the same kind, context and class. */
    Tally minus(Tally before) {
        return new Tally(this, count - before.count, value - before.value);
    }

    /**
     * What was counted: {@code alloc} for objects and arrays, {@code entry} for calls of methods.
     */
    public String kind() {
        return kind;
    }

    /** The class of what was made, as {@link Class#getTypeName()} writes it; null for calls. */
    public String className() {
        return className;
    }

    /**
     * The context as {@link Lucce#capture()} would give its number: for {@link Lucce#trace(long)},
     * or to be compared. Its innermost frame is that of the {@code new}, or of the method that was
     * called. 0 where the context was lost.
     */
    public long context() {
        return context;
    }

    /** How many there were. */
    public long count() {
        return count;
    }

    /** The bytes of the objects and arrays; for calls their number once more. */
    public long value() {
        return value;
    }

    /** Its frames, innermost first: {@link Lucce#trace(long)} of its context. */
    public StackTraceElement[] trace() {
        return Lucce.trace(context);
    }

    @Override
    public String toString() {
        return kind + (className == null ? "" : " of " + className) + ": " + count + " (" + value + ") at n" + context;
    }

    /** What the agent gives, as a list that cannot be changed. */
    static List<Tally> of(Object[] arrays) {
        long[] numbers = (long[]) arrays[0];
        String[] names = (String[]) arrays[1];
        Object[] handedOver = (Object[]) arrays[2];
        Tally[] all = new Tally[names.length];
        for (int i = 0; i < all.length; i++) all[i] = new Tally(numbers, NUMBERS * i, names[i], (long[]) handedOver[i]);
        return new Fixed(all);
    }

    /**
     * {@code java.lang.String[]} for the {@code [Ljava/lang/String;} of the JVM,
     * {@code java.lang.String} for {@code java/lang/String}.
     */
    private static String readable(String name) {
        int depth = 0;
        while (name.charAt(depth) == '[') depth++;
        String element = name.substring(depth);
        if (depth > 0) element = element.length() > 1 ? element.substring(1, element.length() - 1) : primitive(element.charAt(0));
        StringBuilder text = new StringBuilder(element.replace('/', '.'));
        for (int i = 0; i < depth; i++) text.append("[]");
        return text.toString();
    }

    private static String primitive(char descriptor) {
        switch (descriptor) {
            case 'Z': return "boolean";
            case 'B': return "byte";
            case 'C': return "char";
            case 'S': return "short";
            case 'I': return "int";
            case 'F': return "float";
            case 'J': return "long";
            default: return "double";
        }
    }

    private static final class Fixed extends AbstractList<Tally> implements RandomAccess {
        private final Tally[] all;

        Fixed(Tally[] all) {
            this.all = all;
        }

        @Override
        public Tally get(int index) {
            return all[index];
        }

        @Override
        public int size() {
            return all.length;
        }
    }
}
