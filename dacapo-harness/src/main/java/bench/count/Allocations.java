package bench.count;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Allocations by calling context, counted as one does without Lucce: each walks the whole stack with {@link StackWalker} and folds class,
 * method and bytecode index of every frame into the key of a map. The boot loader defines it, so that classes of every loader can count.
 */
public final class Allocations {
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final ConcurrentHashMap<Long, LongAdder> COUNTS = new ConcurrentHashMap<>();
    /** Not exact where threads race for it; nothing but a figure for the report. */
    private static int deepest;

    private Allocations() {}

    /** Behind an instruction that has allocated. */
    public static void count() {
        Fold fold = new Fold();
        WALKER.forEach(fold);
        // Its own frame is no part of the context.
        if (fold.frames - 1 > deepest) deepest = fold.frames - 1;
        Long context = fold.hash;
        LongAdder count = COUNTS.get(context);
        if (count == null) count = COUNTS.computeIfAbsent(context, key -> new LongAdder());
        count.increment();
    }

    /** What was counted, a figure in each line. */
    public static String figures() {
        long events = COUNTS.values().stream().mapToLong(LongAdder::sum).sum();
        return "events " + events + "\nat_sites " + events + "\ncontexts " + COUNTS.size() + "\ndeepest " + deepest + "\n";
    }

    private static final class Fold implements Consumer<StackWalker.StackFrame> {
        private long hash;
        private int frames;

        @Override
        public void accept(StackWalker.StackFrame frame) {
            hash = (hash ^ frame.getClassName().hashCode()) * 0x100000001b3L;
            hash = (hash ^ frame.getMethodName().hashCode()) * 0x100000001b3L;
            hash = (hash ^ frame.getByteCodeIndex()) * 0x100000001b3L;
            hash ^= hash >>> 29;
            frames++;
        }
    }
}
