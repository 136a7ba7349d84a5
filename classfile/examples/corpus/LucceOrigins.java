package java.lang;

/** What {@code Thread.start} calls, and nothing comes of it. */
public final class LucceOrigins {
    private LucceOrigins() { }

    public static void started(Object started) { }

    public static void startedIn(Object started, Object container) { }
}
