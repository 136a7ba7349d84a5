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

    public static long beginRound(Thread thread, int method) {
        return 0;
    }
}
