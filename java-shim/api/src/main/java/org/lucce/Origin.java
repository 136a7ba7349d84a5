package org.lucce;

import java.lang.invoke.MethodHandle;

/** Where a wrapped task was handed over, as a number of the agent's. Nothing here throws. */
final class Origin {
    private static final Class<?> ORIGINS = AgentHooks.named("java.lang.LucceOrigins");
    private static final MethodHandle HERE = AgentHooks.method(ORIGINS, "here", int.class);
    private static final MethodHandle ENTER = AgentHooks.method(ORIGINS, "enter", int.class, int.class);

    private Origin() {}

    /** Initialises the class. */
    static void ready() {}

    /** That of the call of the API that asks; 0 without the agent. */
    static int here() {
        try {
            return HERE == null ? 0 : (int) HERE.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * Puts it in force on this thread; what was in force before, or -1 if nothing was done. Who
     * puts that back calls this from the same method: so it needs no more stack than the first
     * time, and is done where that was.
     */
    static int enter(int origin) {
        try {
            return (int) ENTER.invokeExact(origin);
        } catch (Throwable e) {
            return -1;
        }
    }
}
