package org.lucce;

/**
 * Gives each of the measurements that run at a time contexts of its own, since its lane leads
 * through call sites of its own.
 *
 * <p><b>Invariant.</b> The ways of two numbers to {@link #measure} differ in a call site, and none
 * is part of another. This is the one class of the package that the agent gives hooks, whatever its
 * options {@code include} and {@code exclude} say.
 */
final class Lane {
    private Lane() {}

    /** What runs in a lane. */
    interface Body {
        /** @param lane the captured context of the activation below which all of it runs */
        void run(long lane) throws Throwable;
    }

    /** Runs the body at the end of the way that the bits of this number choose. */
    static void enter(int number, Body body) throws Throwable {
        if (number == 0) {
            measure(body);
        } else if ((number & 1) == 0) {
            enter(number >>> 1, body);
        } else {
            // The same call at another site.
            enter(number >>> 1, body);
        }
    }

    private static void measure(Body body) throws Throwable {
        body.run(Lucce.capture());
    }
}
