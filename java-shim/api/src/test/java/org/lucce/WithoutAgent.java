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
        Lucce.event("kind");
        Lucce.event("kind", 1, String.class);
        Lucce.event("kind", 1, 2);
        same(0, Lucce.kind("kind"));
        Lucce.event(0, 1);
        Lucce.event(1, 1, 2);
        Lucce.addListener("kind", (kind, value, captured) -> { throw new AssertionError("told without the agent"); });
        Lucce.event("kind", 1);
        Lucce.removeListener("kind", null);
        same(0L, LucceMdc.put((key, text) -> { throw new AssertionError("put without the agent"); }));
        LucceMdc.remove(key -> { throw new AssertionError("removed without the agent"); });
        same("00000000000000ff", Lucce.text(255));
        same(255L, Lucce.parse(Lucce.text(255)));
        same(-1L, Lucce.parse(Lucce.text(-1)));
        same(0L, Lucce.parse("none"));
        same(0L, Lucce.parse("000000000000000g"));
        same(0L, Lucce.parse(null));
        same(0, Lucce.trace(1).length);
        same(0, Lucce.trace(1, 2).length);
        same(0, Lucce.tallies().size());
        same(0, Lucce.tallies("alloc").size());
        same(0, Lucce.hot().size());
        same(0, Lucce.hot(0.5).size());
    }

    private static void same(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }
}
