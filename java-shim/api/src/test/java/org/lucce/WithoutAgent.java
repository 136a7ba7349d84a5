package org.lucce;

/** Without the agent the API is a no-op: no context, no frames, no exception. */
final class WithoutAgent {
    public static void main(String[] args) {
        same(false, Lucce.active());
        same(0L, Lucce.runId());
        same(0L, Lucce.context());
        same(0, Lucce.site());
        same(0L, Lucce.capture());
        Lucce.event("kind", 1);
        Lucce.event(null, 1);
        same(0, Lucce.trace(1).length);
        same(0, Lucce.trace(1, 2).length);
    }

    private static void same(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }
}
