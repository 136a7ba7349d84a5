package java.lang;

/** The same for methods that may sleep. */
public final class LucceAwake {
    private LucceAwake() { }

    public static long enter(Thread thread, int method) {
        return 0;
    }

    public static long enterUntrusted(Thread thread, int method) {
        return 0;
    }

    public static long construct(Thread thread, int method) {
        return 0;
    }

    public static long constructUntrusted(Thread thread, int method) {
        return 0;
    }

    public static long beginRound(Thread thread, int method) {
        return 0;
    }

    public static void publish(long kept, int site) { }

    public static void publishConstructor(long word, int site) { }

    public static void publishSuper(Thread thread, long word, int site) { }
}
