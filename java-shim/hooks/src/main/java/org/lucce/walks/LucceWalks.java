package org.lucce.walks;

import jdk.internal.vm.annotation.Hidden;

/**
 * What programs ask for, through {@code org.lucce.Lucce}, of an agent that rewrites no class:
 * contexts as numbers, events, traces. The agent walks the stack for each.
 *
 * <p>The agent defines this class in the boot loader, and in no module. For an agent that comes
 * into a JVM that runs, the JVM finds no native by its name, and it prints a warning if an agent
 * registers natives of a class in a module.
 *
 * <p><b>Invariant.</b> A number that was given stands for one context as long as the JVM runs,
 * whichever agents come and leave.
 */
public final class LucceWalks {
    /** The largest number that agents have given which have left: the agent reads and writes it. */
    private static int given;

    private LucceWalks() {}

    /** The captured number of the context of the call of the API; 0 if there is none. */
    @Hidden
    public static long capture() {
        return capture(Thread.currentThread());
    }

    /**
     * An event of the application's own, with all that it can have. {@code at} is a captured
     * context, or -1 for that of the call of the API. Was it taken?
     */
    @Hidden
    public static boolean event(String kind, long value, Class<?> type, long at) {
        return event(Thread.currentThread(), kind, value, type, at);
    }

    @Hidden
    private static native long capture(Thread t);
    @Hidden
    private static native boolean event(Thread t, String kind, long value, Class<?> type, long at);
    /** Decodes a captured number, innermost frame first; an empty array for 0. */
    @Hidden
    public static native StackTraceElement[] trace(long captured);
    /** The id of this run, as the log's header has it. */
    @Hidden
    public static native long run();
}
