package org.lucce;

import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The exact calling context of the running code, as one {@code long}.
 *
 * <p>Without the agent every method is a no-op: numbers are 0 ("no context"), traces are empty.
 * With it, each method speaks of the activation that calls it, which must be an instrumented one:
 * called from code that the agent leaves alone (the JDK's, excluded classes, reflection), it speaks
 * of the nearest instrumented activation below or, where that is not known without a stack walk,
 * walks. An agent that rewrites no class walks for each: it has captures, events and traces, and
 * none of the rest.
 *
 * <p>All methods may be called by any thread, virtual ones too; none blocks on another thread's
 * Java code, none throws but {@link #measure}, which has no numbers to give then.
 */
public final class Lucce {
    private static final StackTraceElement[] NO_FRAMES = {};

    private static final Class<?> HOOKS = AgentHooks.named("java.lang.LucceApi");
    private static final MethodHandle RUN = hook("run", long.class);
    private static final MethodHandle CAPTURE = hook("capture", long.class);
    private static final MethodHandle CONTEXT = hook("context", long.class);
    private static final MethodHandle SITE = hook("site", int.class);
    private static final MethodHandle EVENT = hook("event", boolean.class, String.class, long.class);
    private static final MethodHandle EVENT_OF = hook("event", boolean.class, String.class, int.class, long.class, Class.class, long.class);
    private static final MethodHandle KIND = hook("kind", int.class, String.class);
    private static final MethodHandle TRACE = hook("trace", StackTraceElement[].class, long.class);
    private static final MethodHandle TRACE_AT = hook("trace", StackTraceElement[].class, long.class, int.class);
    private static final MethodHandle TALLIES = hook("tallies", Object[].class, String.class);
    private static final MethodHandle HOT = hook("hot", long[].class, double.class);

    /** In place of a captured context: that of the call. */
    private static final long HERE = -1;

    static {
        try {
            // Where they are first used the stack may be about to end, and a class whose
            // initialiser fails has failed for ever.
            Listeners.ready();
            Origin.ready();
            if (HOOKS == null) Walks.ready();
        } catch (VirtualMachineError | LinkageError e) {
            // The same here: what can do without them goes on.
        }
    }

    private Lucce() {}

    /** Is the agent at work in this JVM, or was it? Costs nothing. */
    public static boolean active() {
        return HOOKS != null || Walks.any();
    }

    /** The id of this run, as the header of its log has it; 0 without the agent. */
    public static long runId() {
        try {
            return RUN == null ? Walks.run() : (long) RUN.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * The word of the calling activation: it names the context together with {@link #site()}, read
     * in the same method, and costs nothing (the agent replaces the call by the read of a local
     * variable). Equal contexts may have several words in a run, and a word whose path has
     * recursion needs the thread's shadow stack beside it; {@link #capture()} has neither limit.
     *
     * <p>A call that the agent could not replace (inserted by another agent after it, made by
     * reflection, or in a class that it leaves alone) speaks of the nearest instrumented
     * activation, which a stack walk finds each time.
     *
     * @return the word; 0 without the agent, or where no instrumented method is on the stack; a
     * word that decodes to the reason where
     *     the context is lost
     */
    public static long context() {
        try {
            return CONTEXT == null ? 0 : (long) CONTEXT.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * The id of this very call site (the agent replaces the call by a constant); where it could
     * not, the site at which the nearest instrumented activation stands, as {@link #context()}
     * finds it.
     *
     * @return the id, positive; 0 without the agent, or where no instrumented method is on the
     * stack
     */
    public static int site() {
        try {
            return SITE == null ? 0 : (int) SITE.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * One self-contained number for the context of this very call, shadow stack included: equal
     * contexts give equal numbers within a run, on every thread. A look-up in a table when the
     * context was captured before, one decoding (microseconds, more for deep ones) the first time.
     * Below inactive methods (hooks on demand) the stack is walked, until they are active. The
     * agent's memory grows with the number of distinct contexts captured.
     *
     * @return the number, positive; 0 without the agent
     */
    public static long capture() {
        try {
            return CAPTURE == null ? Walks.capture() : (long) CAPTURE.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * Logs an event with the context of this very call. Costs about a microsecond; when the disk
     * cannot keep up, events are dropped and counted.
     *
     * @param kind groups events; a short name such as {@code "request"}, of which there are few
     * (those behind the first 65 536 are logged as
     *              {@code (other kinds)}). A name of one of the agent's own kinds, such as {@code alloc}, is another kind than the agent's:
     *              {@code lucce-decode} calls it {@code program:alloc}
     * @param value its weight, in whatever unit the kind has; contexts are ranked by their sum
     */
    public static void event(String kind, long value) {
        if (kind == null) return;
        try {
            boolean taken = EVENT == null ? Walks.event(kind, value, null, HERE) : (boolean) EVENT.invokeExact(kind, value);
            if (taken && Listeners.any()) Listeners.tell(kind, value, capture());
        } catch (Throwable e) {
            // An event is lost; the application is not troubled.
        }
    }

    /** As {@link #event(String, long)} with the value 1. */
    public static void event(String kind) {
        event(kind, 1);
    }

    /**
     * As {@link #event(String, long)}, with a class that the event is about, as sampled allocations
     * have one.
     *
     * @param type may be null
     */
    public static void event(String kind, long value, Class<?> type) {
        if (kind != null) log(kind, 0, value, type, HERE);
    }

    /**
     * As {@link #event(String, long)}, with the context that was captured earlier, perhaps by
     * another thread, in place of that of this call. Its trace ends at the base of the thread that
     * captured: where that came from is not kept with the number.
     *
     * @param captured what {@link #capture()} returned; any other number gives an event without a
     * context
     */
    public static void event(String kind, long value, long captured) {
        if (kind != null) log(kind, 0, value, null, Math.max(captured, 0));
    }

    /**
     * A number for a kind of events, to be kept in a static final field: events that are named by
     * it do not have their name looked at. Equal names have equal numbers within a run; names
     * behind the first 65 536 share one, and are logged as {@code (other kinds)}.
     *
     * @return the number, positive; 0 without the agent
     */
    public static int kind(String name) {
        if (name == null) return 0;
        try {
            if (KIND == null) return Walks.any() ? Listeners.number(name) : 0;
            int kind = (int) KIND.invokeExact(name);
            Listeners.name(kind, name);
            return kind;
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * As {@link #event(String, long)}.
     *
     * @param kind what {@link #kind(String)} returned; there is no event for any other number
     */
    public static void event(int kind, long value) {
        if (kind > 0) log(null, kind, value, null, HERE);
    }

    /** As {@link #event(String, long, long)}, the kind named by its number. */
    public static void event(int kind, long value, long captured) {
        if (kind > 0) log(null, kind, value, null, Math.max(captured, 0));
    }

    /** An event of the kind with this name, or else this number, that was captured at, or HERE. */
    private static void log(String kind, int number, long value, Class<?> type, long at) {
        try {
            boolean taken = EVENT_OF == null
                ? Walks.event(kind == null ? Listeners.name(number) : kind, value, type, at)
                : (boolean) EVENT_OF.invokeExact(kind, number, value, type, at);
            if (!taken || !Listeners.any()) return;
            Listeners.tell(kind == null ? Listeners.name(number) : kind, value, at == HERE ? capture() : at);
        } catch (Throwable e) {
            // As above.
        }
    }

    /** Is told of events as they happen. */
    public interface Listener {
        /**
         * An event has been taken by one of the {@code event} methods of this class; while events
         * are stopped, none is.
         *
         * @param captured its context, for {@link Lucce#trace(long)}; 0 if it has none
         */
        void event(String kind, long value, long captured);
    }

    /**
     * Adds a listener for the events of a kind that the program itself logs (those of the agent's
     * own sources are not told).
     *
     * <p>It is called by the thread of the event, before the {@code event} method returns, so it
     * should be quick. What it throws is dropped, whatever it is. Events that it logs itself are
     * logged, and told to nobody. Without the agent it is never called.
     */
    public static void addListener(String kind, Listener listener) {
        if (kind != null && listener != null) Listeners.add(kind, listener);
    }

    /**
     * Removes a listener that was added for that kind; events that are under way may still reach
     * it.
     */
    public static void removeListener(String kind, Listener listener) {
        Listeners.remove(kind, listener);
    }

    /** A captured number as 16 hexadecimal digits, for log lines, attributes and headers. */
    public static String text(long captured) {
        char[] digits = new char[16];
        for (int i = 0; i < 16; i++) digits[i] = Character.forDigit((int) (captured >>> (60 - 4 * i)) & 15, 16);
        return new String(digits);
    }

    /** The number that {@link #text} has written; 0 for any other text. */
    public static long parse(String text) {
        try {
            return text == null || text.length() != 16 ? 0 : Long.parseUnsignedLong(text, 16);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /**
     * A task for another thread, or a later time, that does what {@code task} does; the traces of
     * its events go on behind its own frames with {@code submitted at} and the context of this very
     * call. For hand-overs that the agent does not follow by itself.
     *
     * @return {@code task} itself without the agent
     */
    public static Runnable wrap(Runnable task) {
        int origin = task == null ? 0 : Origin.here();
        return origin == 0 ? task : () -> {
            int before = Origin.enter(origin);
            try {
                task.run();
            } finally {
                if (before >= 0) Origin.enter(before);
            }
        };
    }

    /** As {@link #wrap(Runnable)}. */
    public static <T> Callable<T> wrap(Callable<T> task) {
        int origin = task == null ? 0 : Origin.here();
        return origin == 0 ? task : () -> {
            int before = Origin.enter(origin);
            try {
                return task.call();
            } finally {
                if (before >= 0) Origin.enter(before);
            }
        };
    }

    /**
     * The stack trace of a captured context, innermost frame first: the instrumented frames, with
     * the line of each call. Decodes, at the cost of microseconds; any thread may ask, also after
     * the capturing thread has ended.
     *
     * @param captured what {@link #capture()} returned
     * @return the frames; empty for 0, a number never given, or without the agent that has given it
     */
    public static StackTraceElement[] trace(long captured) {
        try {
            StackTraceElement[] frames = TRACE == null ? Walks.trace(captured) : (StackTraceElement[]) TRACE.invokeExact(captured);
            return frames == null ? NO_FRAMES : frames;
        } catch (Throwable e) {
            return NO_FRAMES;
        }
    }

    /**
     * The stack trace of a word, innermost frame first, as {@link #trace(long)}. Where the path
     * leads through recursion, the frames end there, because the thread's shadow stack is not in
     * the word.
     *
     * @param context what {@link #context()} returned
     * @param site    what {@link #site()} returned in the same activation
     * @return the frames; empty for 0, a word that does not belong to the site's method, or without
     * the agent
     */
    public static StackTraceElement[] trace(long context, int site) {
        try {
            StackTraceElement[] frames = TRACE_AT == null ? null : (StackTraceElement[]) TRACE_AT.invokeExact(context, site);
            return frames == null ? NO_FRAMES : frames;
        } catch (Throwable e) {
            return NO_FRAMES;
        }
    }

    /**
     * What the agent has counted up to now (its options {@code alloc=all} and {@code entries}):
     * exact sums by kind, context and class, as the log has them at its end. Those of a kind come
     * together, the largest value first. Counting itself stays as cheap as it is; this question
     * takes time and memory for each sum. What it makes is counted as well, and seen by the next
     * question. Sums in which an unloaded class had a part are in the log alone.
     *
     * @return the sums, unmodifiable; none without the agent, or where it counts nothing
     */
    public static List<Tally> tallies() {
        return tallies(null);
    }

    /** As {@link #tallies()}, of one kind: {@code alloc} or {@code entry}; null for all. */
    public static List<Tally> tallies(String kind) {
        try {
            Object[] sums = TALLIES == null ? null : (Object[]) TALLIES.invokeExact(kind);
            return sums == null ? Collections.emptyList() : Tally.of(sums);
        } catch (Throwable e) {
            return Collections.emptyList();
        }
    }

    /**
     * Runs {@code body}, and gives what the agent counts of what this thread does meanwhile below
     * this call, and its tasks: see {@link Measurement}. If there are no exact sums, it throws
     * {@link NotMeasuredException}; where that is known beforehand, the body does not run.
     */
    public static <E extends Throwable> Measurement measure(Measurement.Body<E> body) throws E {
        return Measurement.of(body);
    }

    /**
     * The contexts that run most right now, of all that the agent has sampled up to now (its option
     * {@code profile}), each with bounds: those that have this share of all entries, or perhaps
     * have it, the hottest first. This question takes time and memory for each context that has a
     * counter.
     *
     * @param share from 0 to 1; any other number stands for that of the option {@code hot}, which
     * is 0.01 without it
     * @return the contexts, unmodifiable; none without the agent, or where it samples nothing
     */
    public static List<HotContext> hot(double share) {
        try {
            long[] numbers = HOT == null ? null : (long[]) HOT.invokeExact(share);
            return numbers == null ? Collections.emptyList() : HotContext.of(numbers);
        } catch (Throwable e) {
            return Collections.emptyList();
        }
    }

    /** As {@link #hot(double)}, with the share of the option {@code hot}. */
    public static List<HotContext> hot() {
        return hot(-1);
    }

    private static MethodHandle hook(String name, Class<?> result, Class<?>... parameters) {
        return AgentHooks.method(HOOKS, name, result, parameters);
    }
}
