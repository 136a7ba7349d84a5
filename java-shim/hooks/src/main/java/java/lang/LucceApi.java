package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * What programs ask for, through {@code org.lucce.Lucce}: contexts as numbers, events, traces; and
 * where a thread or a task comes from, for {@link LucceOrigins}.
 *
 * <p><b>Invariant.</b> Each starts at the thread's state as natives read it
 * ({@link LucceShadowStack#normalizeState}), and leaves it as the caller published it.
 */
public final class LucceApi {
    static {
        registerNatives();
    }

    private static final int ROOT = 1;

    /** The kind of an origin: a task was handed over. */
    static final int SUBMITTED = 1;

    private LucceApi() {}

    /** Has this class initialised with the hooks, not in the middle of what a program asks. */
    static void ready() {}

    /**
     * The captured number of the context published last: a node of the agent's tree of paths. It
     * follows from the word, its site and, where the word is CHAINED, the node of the topmost cut
     * entry, which stands for all below.
     */
    @Hidden
    public static long capture() {
        if (!LucceHooks.CONTEXTS) return 0;
        Thread t = Thread.currentThread();
        LucceShadowStack.normalizeState(t);
        long captured = LucceCaptures.known(t);
        return captured != 0 ? captured : captureSlow(t);
    }

    /**
     * The number of the origin that a thread which is started now, or a task that is handed over
     * now, has: the context published last, the kind, and the origin in force.
     */
    @Hidden
    static int origin(Thread t, int kind) {
        if (!LucceHooks.CONTEXTS) return 0;
        LucceShadowStack.normalizeState(t);
        int parent = t.$lucce$origin;
        // No instrumented frame: the JDK's own code hands on what it was given, or a part of it.
        if (t.$lucce$site == ROOT && kind == SUBMITTED && !LucceHooks.HASHED) return parent;
        long captured = LucceCaptures.known(t);
        if (captured != 0) {
            int id = LucceCaptures.origin(captured, kind, parent);
            if (id != 0) return id;
        }
        return originSlow(t, captured, kind, parent);
    }

    /**
     * Begins a measurement of what the current thread does and hands over, which
     * {@link LucceOrigins#enter} puts in force: its number among the origins. 0 where tasks are not
     * followed or not counted by origin; negative where there is no number left.
     */
    public static int measurement() {
        return measurement(Thread.currentThread().$lucce$origin);
    }

    /**
     * An event of the application's own, at the context published last. Was it taken? It is not
     * while events are stopped.
     */
    @Hidden
    public static boolean event(String kind, long value) {
        Thread t = Thread.currentThread();
        LucceShadowStack.normalizeState(t);
        return eventSlow(t, kind, value);
    }

    /**
     * The same with all that an event can have; {@code kind} or {@code id} names its kind;
     * {@code at} is a captured context, or -1.
     */
    @Hidden
    public static boolean event(String kind, int id, long value, Class<?> type, long at) {
        Thread t = Thread.currentThread();
        LucceShadowStack.normalizeState(t);
        return eventOf(t, kind, id, value, type, at);
    }

    /**
     * What {@code Lucce.context()} gives where the agent could not replace the call: the word of
     * the nearest instrumented activation. Nothing was published for such a call, so the stack is
     * walked.
     */
    @Hidden
    public static long context() {
        if (!LucceHooks.CONTEXTS) return 0;
        Thread t = Thread.currentThread();
        LucceShadowStack.normalizeState(t);
        if (LucceHooks.HASHED) return LucceCaptures.known(t) != 0 ? t.$lucce$ctx : hashedWord(t);
        return walkedWord(t);
    }

    /** {@code Lucce.site()} likewise: where that activation stands. */
    @Hidden
    public static int site() {
        if (!LucceHooks.CONTEXTS) return 0;
        Thread t = Thread.currentThread();
        LucceShadowStack.normalizeState(t);
        return walkedSite(t);
    }

    private static native void registerNatives();
    private static native long captureSlow(Thread t);
    /**
     * As {@link #origin}; {@code captured} is the context's number, or 0 if the hooks do not know
     * it.
     */
    private static native int originSlow(Thread t, long captured, int kind, int parent);
    /** The number of an origin without a context, for a reason. */
    static native int originWithout(int kind, int ground);
    /**
     * The number of the origin of a task that was handed over with one of these two: it is not
     * known with which.
     */
    static native int ambiguous(int one, int other);
    /** A measurement that begins where this origin is in force. */
    private static native int measurement(int origin);
    private static native boolean eventSlow(Thread t, String kind, long value);
    private static native boolean eventOf(Thread t, String kind, int id, long value, Class<?> type, long at);
    /** A hashed word that can be decoded from now on. */
    private static native long hashedWord(Thread t);
    private static native long walkedWord(Thread t);
    private static native int walkedSite(Thread t);
    /** A number for a kind of events. */
    public static native int kind(String name);

    /** Decodes a captured number, innermost frame first; an empty array for 0. */
    public static native StackTraceElement[] trace(long captured);
    /** Decodes the word read at {@code site}, innermost frame first. */
    public static native StackTraceElement[] trace(long context, int site);
    /**
     * The sums of counts of this kind, or of all for null: a long[] with four numbers for each, a
     * String[] with its class, and an Object[] with what is null here; or null.
     */
    public static native Object[] tallies(String kind);
    /**
     * The same of what was counted below the activation that has captured this number, and in tasks
     * of the measurement, if it is not 0. The third array has for each sum of a task a long[]: the
     * captured contexts in which the task was handed over, the nearest first. First comes a sum for
     * each kind that is counted, with the context 0: what is in no known context, or of a task of
     * which it is not known where in the measurement, or whether there, it was handed over. Null
     * where nothing is counted, and for any other number.
     */
    public static native Object[] tallies(long captured, int measurement);
    /**
     * Is each call of the methods of that name counted which this class declares, and has linked?
     */
    public static native boolean countsCalls(Class<?> type, String method);
    /** Have all of those hooks that have code, and is there one? */
    public static native boolean hasHooks(Class<?> type, String method);
    /**
     * Contexts that have this share of all sampled entries, or may have, hottest first: of each six
     * numbers, which {@code org.lucce.HotContext} knows; null where nothing is sampled. A share
     * that is not from 0 to 1 is that of the options.
     */
    public static native long[] hot(double share);
    /** The id of this run, as the log's header has it. */
    public static native long run();
}
