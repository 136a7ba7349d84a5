package java.lang;

/** The same for methods that may be inactive. */
public final class LucceLazyEntry {
    private LucceLazyEntry() { }

    public static long enter(Thread thread, int method) {
        return 0;
    }

    public static long enterUntrusted(Thread thread, int method) {
        return 0;
    }

    public static long pollBackEdge(Thread thread, int method) {
        return 0;
    }
}
