package org.lucce;

import java.lang.invoke.MethodHandle;

/** Where a wrapped task was handed over, as a number of the agent's. Nothing here throws. */
final class Origin {
    private static final Class<?> ORIGINS = Lucce.hooks("java.lang.LucceOrigins");
    private static final MethodHandle HERE = Lucce.hook(ORIGINS, "here", int.class);
    private static final MethodHandle ENTER = Lucce.hook(ORIGINS, "enter", int.class, int.class);

    private Origin() {}

    /** That of the call of the API that asks; 0 without the agent. */
    static int here() {
        try {
            return HERE == null ? 0 : (int) HERE.invokeExact();
        } catch (Throwable e) {
            return 0;
        }
    }

    /** Puts it in force on this thread; what was in force before, for {@link #leave}, or -1 if nothing was done. */
    static int enter(int origin) {
        try {
            return (int) ENTER.invokeExact(origin);
        } catch (Throwable e) {
            return -1;
        }
    }

    /** Puts back what {@link #enter} gave, in the same method: it needs no more stack than that had. */
    static void leave(int before) {
        if (before >= 0) enter(before);
    }
}
