package hazards;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Activations that have returned to the JDK, with a callee of theirs the last that put the thread's state back: what the JDK calls next they have not
 * called, though it is what they call, too.
 */
public final class Returned {
    private static final Consumer<Object> LAST = made -> Check.here();

    private Returned() {}

    /** A constructor that the JDK calls, before it calls what the constructor has called last. */
    static final class Made {
        final int level;

        Made() {
            this(0);
        }

        Made(int level) {
            this.level = level;
            LAST.accept(this);
        }
    }

    /** Pairs that are compared by way of the JDK, and within each other. */
    static final class Pair {
        final List<Object> parts = new ArrayList<>();

        Pair(Object left, Object right) {
            parts.add(left);
            parts.add(right);
        }

        @Override
        public boolean equals(Object other) {
            Check.here();
            return other instanceof Pair && parts.equals(((Pair) other).parts);
        }

        @Override
        public int hashCode() {
            return parts.size();
        }
    }

    static Pair tree(int levels) {
        return levels == 0 ? new Pair(1, 2) : new Pair(tree(levels - 1), tree(levels - 1));
    }

    static void constructed() {
        Stream.generate(Made::new).limit(3).forEach(LAST);
    }

    static void constructedLevels(int level) {
        Supplier<Made> maker = () -> new Made(level);
        Stream.generate(maker).limit(3).forEach(LAST);
    }

    public static void main(String[] arguments) {
        Pair one = tree(3);
        Pair other = tree(3);
        for (int round = 0; round < 200; round++) {
            constructed();
            constructedLevels(round);
            Check.equal(true, one.equals(other));
            Check.equal(true, List.of(one, one).equals(List.of(other, other)));
        }
        Check.done("Returned");
    }
}
