package org.lucce;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The exact calling context of the running code, as one {@code long}.
 *
 * <p>Without the agent every method is a no-op: numbers are 0 ("no context"), traces are empty. With it, each method speaks of the
 * activation that calls it, which must be an instrumented one: called from code that the agent leaves alone (the JDK's, excluded classes,
 * reflection), it speaks of the nearest instrumented activation below or, where that is not known without a stack walk, walks.
 *
 * <p>All methods may be called by any thread, virtual ones too; none blocks on another thread's Java code, none throws.
 */
public final class Lucce {
    private static final StackTraceElement[] NO_FRAMES = {};

    private static final Class<?> HOOKS = hooks();
    private static final MethodHandle RUN = hook("run", long.class);
    private static final MethodHandle CAPTURE = hook("capture", long.class);
    private static final MethodHandle EVENT = hook("event", void.class, String.class, long.class);
    private static final MethodHandle TRACE = hook("trace", StackTraceElement[].class, long.class);
    private static final MethodHandle TRACE_AT = hook("trace", StackTraceElement[].class, long.class, int.class);

    private Lucce() {}

    /** Is the agent at work in this JVM? Costs nothing. */
    public static boolean active() {
        return HOOKS != null;
    }

    /** The id of this run, as the header of its log has it; 0 without the agent. */
    public static long runId() {
        try {
            return RUN == null ? 0 : (long) RUN.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * The word of the calling activation: it names the context together with {@link #site()}, read in the same method, and costs
     * nothing (the agent replaces the call by the read of a local variable). Equal contexts may have several words in a run, and a word
     * whose path has recursion needs the thread's chain beside it; {@link #capture()} has neither limit.
     *
     * @return the word; 0 without the agent or in a method that is not instrumented
     */
    public static long context() {
        return 0;
    }

    /**
     * The id of this very call site (the agent replaces the call by a constant).
     *
     * @return the id, positive; 0 without the agent or in a method that is not instrumented
     */
    public static int site() {
        return 0;
    }

    /**
     * One self-contained number for the context of this very call, chain included: equal contexts give equal numbers within a run, on
     * every thread. A look-up in a table when the context was captured before, one decoding (microseconds, more for deep ones) the first
     * time. The agent's memory grows with the number of distinct contexts captured.
     *
     * @return the number, positive; 0 without the agent
     */
    public static long capture() {
        try {
            return CAPTURE == null ? 0 : (long) CAPTURE.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * Logs an event with the context of this very call. Costs about a microsecond; when the disk cannot keep up, events are dropped and
     * counted.
     *
     * @param kind  groups events; a short name such as {@code "request"}
     * @param value its weight, in whatever unit the kind has; contexts are ranked by their sum
     */
    public static void event(String kind, long value) {
        if (EVENT == null || kind == null) return;
        try {
            EVENT.invokeExact(kind, value);
        } catch (Throwable e) {
            // An event is lost; the application is not troubled.
        }
    }

    /**
     * The stack trace of a captured context, innermost frame first: the instrumented frames, with the line of each call. Decodes, at
     * the cost of microseconds; any thread may ask, also after the capturing thread has ended.
     *
     * @param captured what {@link #capture()} returned
     * @return the frames; empty for 0, a number never given, or without the agent
     */
    public static StackTraceElement[] trace(long captured) {
        try {
            StackTraceElement[] frames = TRACE == null ? null : (StackTraceElement[]) TRACE.invokeExact(captured);
            return frames == null ? NO_FRAMES : frames;
        } catch (Throwable e) {
            return NO_FRAMES;
        }
    }

    /**
     * The stack trace of a word, innermost frame first, as {@link #trace(long)}. Where the path leads through recursion, the
     * frames end there, because the thread's chain is not in the word.
     *
     * @param context what {@link #context()} returned
     * @param site    what {@link #site()} returned in the same activation
     * @return the frames; empty for 0, a word that does not belong to the site's method, or without the agent
     */
    public static StackTraceElement[] trace(long context, int site) {
        try {
            StackTraceElement[] frames = TRACE_AT == null ? null : (StackTraceElement[]) TRACE_AT.invokeExact(context, site);
            return frames == null ? NO_FRAMES : frames;
        } catch (Throwable e) {
            return NO_FRAMES;
        }
    }

    private static Class<?> hooks() {
        try {
            return Class.forName("java.lang.LucceHooks", false, null);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    private static MethodHandle hook(String name, Class<?> result, Class<?>... parameters) {
        if (HOOKS == null) return null;
        try {
            return MethodHandles.publicLookup().findStatic(HOOKS, name, MethodType.methodType(result, parameters));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }
}
