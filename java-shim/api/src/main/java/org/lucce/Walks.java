package org.lucce;

import java.lang.invoke.MethodHandle;

/**
 * What an agent answers that has rewritten no class: it walks the stack for each context. It may
 * come when the program has run for long (attach).
 *
 * <p><b>Invariant.</b> Without such an agent nothing is done but reading one field. Nobody asks
 * here in a JVM where an agent has hooks.
 */
final class Walks {
    /** Null until there is such an agent. One that has left answers as if there were none. */
    private static volatile Walks found;

    static {
        come(AgentHooks.ofBoot("org.lucce.walks.LucceWalks"));
    }

    private final MethodHandle run;
    private final MethodHandle capture;
    private final MethodHandle event;
    private final MethodHandle trace;

    private Walks(Class<?> hooks) {
        run = AgentHooks.method(hooks, "run", long.class);
        capture = AgentHooks.method(hooks, "capture", long.class);
        event = AgentHooks.method(hooks, "event", boolean.class, String.class, long.class, Class.class, long.class);
        trace = AgentHooks.method(hooks, "trace", StackTraceElement[].class, long.class);
    }

    /** Initialises the class. */
    static void ready() {}

    /** Its class of hooks is there. An agent that comes later calls this, by name. */
    static void come(Class<?> hooks) {
        Walks walks = new Walks(hooks);
        if (walks.run != null && walks.capture != null && walks.event != null && walks.trace != null) found = walks;
    }

    /** Is there such an agent, or was there one? */
    static boolean any() {
        return found != null;
    }

    static long run() throws Throwable {
        Walks walks = found;
        return walks == null ? 0 : (long) walks.run.invokeExact();
    }

    static long capture() throws Throwable {
        Walks walks = found;
        return walks == null ? 0 : (long) walks.capture.invokeExact();
    }

    /** Was the event taken? Not without the name of a kind. */
    static boolean event(String kind, long value, Class<?> type, long at) throws Throwable {
        Walks walks = found;
        return walks != null && kind != null && (boolean) walks.event.invokeExact(kind, value, type, at);
    }

    /** The frames; null if there are none. */
    static StackTraceElement[] trace(long captured) throws Throwable {
        Walks walks = found;
        return walks == null ? null : (StackTraceElement[]) walks.trace.invokeExact(captured);
    }
}
