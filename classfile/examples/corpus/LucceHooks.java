package java.lang;

/** Hooks that do nothing, so that rewritten classes link and run. */
public final class LucceHooks {
    private LucceHooks() { }

    public static long enter(Thread thread, int method) {
        return 0;
    }

    public static long enterUntrusted(Thread thread, int method) {
        return 0;
    }

    public static void publish(Thread thread, long word, int site) { }
}
