package java.lang;

/** A chain that nothing is pushed to. */
public final class LucceChain {
    private LucceChain() { }

    public static void settle(Thread thread) { }
}
