package org.lucce;

import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the agent counted while something ran ({@link Lucce#measure}): exact sums by kind, context
 * and class, where it has the option {@code alloc=all} or {@code entries}. It does not change.
 *
 * <p>It has what the measuring thread did below the call. With the agent's option {@code async=on}
 * it also has what others did for it until the call returned: the threads that were started there,
 * the tasks that were handed over there, and what these have started and handed over. It has
 * nothing else. Other threads may measure the same at the same time, and a measurement may run
 * within another, which has all that it has.
 */
public final class Measurement {
    private static final Class<?> HOOKS = AgentHooks.named("java.lang.LucceApi");
    private static final MethodHandle BELOW = AgentHooks.method(HOOKS, "tallies", Object[].class, long.class, int.class);
    private static final MethodHandle BEGIN = AgentHooks.method(HOOKS, "measurement", int.class);
    private static final MethodHandle COUNTS_CALLS = AgentHooks.method(HOOKS, "countsCalls", boolean.class, Class.class, String.class);
    private static final MethodHandle HAS_HOOKS = AgentHooks.method(HOOKS, "hasHooks", boolean.class, Class.class, String.class);
    private static final String UNCOUNTED = "the agent does not count: give it the option alloc=all or entries=<globs>";
    /** Numbers of lanes in which something runs. */
    private static final BitSet TAKEN = new BitSet();

    private final List<Tally> tallies;
    private final Set<String> kinds;
    /** Frames of a trace that lead to what was measured. */
    private final int depth;

    private Measurement(List<Tally> tallies, Set<String> kinds, int depth) {
        this.tallies = Collections.unmodifiableList(tallies);
        this.kinds = kinds;
        this.depth = depth;
    }

    /**
     * What is measured.
     *
     * @param <E> what it may throw
     */
    public interface Body<E extends Throwable> {
        /** Runs it. */
        void run() throws E;
    }

    /** The sums, those of a kind together; none has the count 0. */
    public List<Tally> tallies() {
        return tallies;
    }

    /**
     * Does the agent count this kind ({@code alloc}, {@code entry})? Of another there are no sums,
     * whatever ran.
     */
    public boolean counts(String kind) {
        return kinds.contains(kind);
    }

    /**
     * Does the agent count each call of the methods of that name which this class declares? Not
     * where its option {@code entries} does not name them, where one has no hooks, and where none
     * has a body.
     */
    public static boolean countsCalls(Class<?> type, String method) {
        return ask(COUNTS_CALLS, type, method);
    }

    /**
     * Have the methods of that name hooks which this class declares? Others are on no trace: those
     * of classes that the agent leaves alone, and those that reach nothing which has hooks.
     */
    public static boolean hasHooks(Class<?> type, String method) {
        return ask(HAS_HOOKS, type, method);
    }

    private static boolean ask(MethodHandle hook, Class<?> type, String method) {
        try {
            // This links the class: before that the JVM does not say what it declares.
            type.getDeclaredMethods();
            return hook != null && (boolean) hook.invokeExact(type, method);
        } catch (Throwable e) {
            return false;
        }
    }

    /** How many objects and arrays were made; 0 where the agent does not count them. */
    public long allocations() {
        return tallies.stream().filter(tally -> tally.kind().equals("alloc")).mapToLong(Tally::count).sum();
    }

    /** Their bytes. */
    public long allocatedBytes() {
        return tallies.stream().filter(tally -> tally.kind().equals("alloc")).mapToLong(Tally::value).sum();
    }

    /** How many calls were counted; 0 where the agent counts none. */
    public long calls() {
        return tallies.stream().filter(tally -> tally.kind().equals("entry")).mapToLong(Tally::count).sum();
    }

    /**
     * The frames of a sum below the call of {@link Lucce#measure}, innermost first. Behind those of
     * a task stand the frames that handed it over, as if they had called it.
     */
    public StackTraceElement[] trace(Tally tally) {
        List<StackTraceElement> frames = new ArrayList<>(Arrays.asList(tally.trace()));
        for (long context : tally.handedOver()) frames.addAll(Arrays.asList(Lucce.trace(context)));
        // Another measurement within this one has a lane, too.
        return frames.stream().limit(Math.max(0, frames.size() - depth)).filter(frame -> !isLane(frame)).toArray(StackTraceElement[]::new);
    }

    /** As {@link Lucce#measure}. */
    static <E extends Throwable> Measurement of(Body<E> body) throws E {
        if (BELOW == null) throw new NotMeasuredException(Lucce.active() ? UNCOUNTED : "the JVM runs without the Lucce agent");
        int lane = take();
        Run run = new Run(body);
        try {
            Lane.enter(lane, run);
        } catch (Throwable e) {
            throw Measurement.<E>unchecked(e);
        } finally {
            release(lane);
        }
        return run.measured;
    }

    /** Only what {@code body} may throw comes here, or is unchecked. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E unchecked(Throwable e) {
        return (E) e;
    }

    /** The lowest free lane, so that one measurement after the other has the same. */
    private static int take() {
        synchronized (TAKEN) {
            int lane = TAKEN.nextClearBit(0);
            TAKEN.set(lane);
            return lane;
        }
    }

    private static void release(int lane) {
        synchronized (TAKEN) {
            TAKEN.clear(lane);
        }
    }

    private static boolean isLane(StackTraceElement frame) {
        return frame.getClassName().equals("org.lucce.Lane");
    }

    /** Reads the sums before and behind what it runs. */
    private static final class Run implements Lane.Body {
        private static final String UNKNOWN = "some of what was counted meanwhile has no known context, or is of a task with no known origin: ";

        private final Body<?> body;
        private Measurement measured;

        Run(Body<?> body) {
            this.body = body;
        }

        @Override
        public void run(long lane) throws Throwable {
            StackTraceElement[] way = Lucce.trace(lane);
            boolean hasHooks = way.length > 0 && isLane(way[0]);
            int number = (int) BEGIN.invokeExact();
            Object[] before = sums(lane, number);
            if (!hasHooks) throw new NotMeasuredException("org.lucce.Lane has no hooks: see the log of the agent");
            run(number);
            Object[] after = sums(lane, number);
            // Not before: with jdk=on, what the JDK makes for these lists is counted, too.
            measured = difference(Tally.of(before), Tally.of(after), way.length);
        }

        /**
         * Runs the body where its tasks are those of this number; 0 where tasks are not counted.
         */
        private void run(int number) throws Throwable {
            if (number == 0) {
                body.run();
                return;
            }
            int outer = number < 0 ? -1 : Origin.enter(number);
            if (outer < 0) throw new NotMeasuredException("the agent cannot tell the tasks of this measurement from others");
            try {
                body.run();
            } finally {
                Origin.enter(outer);
            }
        }

        private static Object[] sums(long lane, int number) throws Throwable {
            Object[] sums = (Object[]) BELOW.invokeExact(lane, number);
            if (sums == null) throw new NotMeasuredException(UNCOUNTED);
            return sums;
        }

        private static Measurement difference(List<Tally> before, List<Tally> after, int depth) {
            Map<List<Object>, Tally> known = new HashMap<>();
            before.forEach(tally -> known.merge(tally.key(), tally, Tally::plus));
            Map<List<Object>, Tally> sums = new HashMap<>();
            List<List<Object>> order = new ArrayList<>();
            for (Tally tally : after) {
                List<Object> key = tally.key();
                if (sums.merge(key, tally, Tally::plus) == tally) order.add(key);
            }
            Set<String> kinds = new HashSet<>();
            List<Tally> more = new ArrayList<>();
            for (List<Object> key : order) {
                Tally tally = sums.get(key);
                Tally old = known.get(key);
                Tally grown = old == null ? tally : tally.minus(old);
                if (tally.context() == 0) {
                    kinds.add(tally.kind());
                    if (grown.count() != 0) throw new NotMeasuredException(UNKNOWN + grown);
                } else if (grown.count() != 0) {
                    more.add(grown);
                }
            }
            return new Measurement(more, kinds, depth);
        }
    }
}
