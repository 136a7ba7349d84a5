package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * What the JDK's own classes call where threads start: the rewritten {@code java.lang.Thread} and
 * {@code java.lang.VirtualThread}.
 *
 * <p>Its initialiser does nothing, because the JDK starts threads before natives can be called:
 * until {@link #begin} nothing is asked.
 *
 * <p><b>Invariant.</b> Nothing is thrown into the host, and nothing is asked while a virtual thread
 * is being mounted or unmounted. What could not be found out is stored as such.
 */
public final class LucceOrigins {
    /** Kinds of origins. */
    private static final int STARTED = 0;
    /** The origin of a new thread that is about to be started for a task. */
    private static final int HANDED_OVER = -1;

    /**
     * The number of an origin that an error kept the hooks from finding out; 0 as long as the agent
     * cannot be asked.
     */
    private static int failed;

    /** {@code async=on}. */
    private static boolean followsTasks;

    private LucceOrigins() {}

    /** The agent can be asked from now on; it says so itself. */
    static void begin(int failed, boolean followsTasks) {
        LucceOrigins.followsTasks = followsTasks;
        LucceOrigins.failed = failed;
    }

    /**
     * Code that another agent has changed begins: what the current thread has published before is
     * not said of what is called there. Constructors, which no Guard can surround, call it, and
     * methods in which the current thread changes.
     */
    @Hidden
    public static void clear() {
        clear(Thread.currentThread());
    }

    private static void clear(Thread t) {
        t.$lucce$site = 0;
        // What a hashed word begins with where nothing is known; without a site no other encoder
        // reads it but `count`, which knows it.
        t.$lucce$ctx = 1;
    }

    /** The class of virtual threads' continuations. */
    private static Class<?> virtual;
    /** Does the agent know that there are others? */
    private static boolean others;

    /**
     * A continuation begins, or goes on. If it is no virtual thread's, what the thread has
     * published is not said of what is called in there.
     */
    @Hidden
    public static void continues(Object continuation) {
        if (failed == 0 || continuation.getClass() == virtual) return;
        if (continuation.getClass().getName().equals("java.lang.VirtualThread$VThreadContinuation")) {
            virtual = continuation.getClass();
            return;
        }
        clear(Thread.currentThread());
        if (others) return;
        // An error goes to the program: nothing may run in there unknown to the agent.
        continues0();
        others = true;
    }

    private static native void continues0();

    /** An agent has added a transformer, for which the JDK may have made a JVMTI environment. */
    @Hidden
    public static void transformerAdded() {
        if (failed == 0) return;
        try {
            transformerAdded0();
        } catch (Throwable e) {
            // The end of the stack: what the transformer inserts is found out by looks.
        }
    }

    private static native void transformerAdded0();

    /** A thread is about to be stopped, wherever it is ({@code Thread.stop} of JDK 11 and 17). */
    @Hidden
    public static void stopped(Object thread) {
        if (failed == 0) return;
        try {
            stopped0((Thread) thread);
        } catch (Throwable e) {
            // The end of the stack.
            ((Thread) thread).$lucce$doubted = 1;
        }
    }

    private static native void stopped0(Thread thread);

    /** The thread {@code started} starts now; nobody can start it any more but the caller. */
    @Hidden
    public static void started(Object started) {
        startedIn(started, null);
    }

    /**
     * Likewise, for {@code container}: if it is an executor that starts a thread for each task, the
     * task is handed over. Whatever is called here is called under the handler: a virtual thread
     * that an error keeps from being started would stay half started.
     */
    @Hidden
    public static void startedIn(Object started, Object container) {
        if (failed == 0) return;
        Thread thread = (Thread) started;
        int origin = failed;
        try {
            if (LucceHooks.hasActivated()) {
                thread.$lucce$hooksEnabled = 1;
                thread.$lucce$sampled = -1;
            }
            origin = originOf(thread, container);
        } catch (Throwable e) {
            // A stack overflow, or no memory: not known.
        }
        thread.$lucce$started = origin;
        thread.$lucce$origin = origin;
    }

    @Hidden
    private static int originOf(Thread thread, Object container) {
        Thread t = Thread.currentThread();
        if (carries(t)) return 0;
        boolean forTask = thread.$lucce$origin == HANDED_OVER || followsTasks && runsTask(container);
        return LucceApi.origin(t, forTask ? LucceApi.SUBMITTED : STARTED);
    }

    /** {@code async=on}, as all that follow: a task is put into a queue now. */
    @Hidden
    public static void submitted(Object task) {
        if (failed == 0) return;
        try {
            Thread t = Thread.currentThread();
            if (!internal(t)) LucceTasks.submitted(t, task);
        } catch (Throwable e) {
            // Nothing is known of it, or the number that says so has been stored.
        }
    }

    /** A thread that was made for a task, and that nobody else knows, is started next. */
    public static void handsOver(Object thread) {
        if (failed != 0) ((Thread) thread).$lucce$origin = HANDED_OVER;
    }

    /** A task is given to a pool that has fork/join tasks of its own for those of others. */
    @Hidden
    public static void passed(Object task) {
        if (failed == 0) return;
        try {
            Thread t = Thread.currentThread();
            if (!internal(t)) LucceTasks.passed(t, task);
        } catch (Throwable e) {
            // As above.
        }
    }

    /** A fork/join task is made now. */
    @Hidden
    public static void created(Object task) {
        if (failed == 0) return;
        try {
            Thread t = Thread.currentThread();
            if (!internal(t)) LucceTasks.created(t, task);
        } catch (Throwable e) {
            // As above.
        }
    }

    /** A task was refused, or is made ready for another time. */
    public static void dropped(Object task) {
        if (failed == 0) return;
        try {
            LucceTasks.dropped(task);
        } catch (Throwable e) {
            // It waits no more: what is kept of it makes a later time ambiguous, at worst.
        }
    }

    /**
     * A thread begins to wait for an executor's tasks: what is in force now is so whenever it runs
     * none.
     */
    public static void waits() {
        Thread t = Thread.currentThread();
        t.$lucce$started = t.$lucce$origin;
    }

    /** The thread of an executor runs the task from now on. */
    public static void began(Object task) {
        if (failed == 0) return;
        Thread t = Thread.currentThread();
        try {
            LucceTasks.began(t, task);
        } catch (Throwable e) {
            t.$lucce$origin = failed;
        }
    }

    /** It runs none. */
    public static void ended() {
        Thread t = Thread.currentThread();
        t.$lucce$origin = t.$lucce$started;
    }

    /** A task runs on this thread until the method that calls this returns. */
    public static void entered(Object task) {
        if (failed == 0) return;
        Thread t = Thread.currentThread();
        try {
            LucceTasks.entered(t, task);
        } catch (Throwable e) {
            t.$lucce$origin = failed;
        }
    }

    static int failed() {
        return failed;
    }

    /**
     * The number of the origin of a task that the program hands over now; 0 if there is nothing to
     * say.
     */
    @Hidden
    public static int here() {
        return failed == 0 ? 0 : LucceApi.origin(Thread.currentThread(), LucceApi.SUBMITTED);
    }

    /** Puts an origin in force on this thread. The one that was. */
    public static int enter(int origin) {
        Thread t = Thread.currentThread();
        int before = t.$lucce$origin;
        t.$lucce$origin = origin;
        return before;
    }

    /** Is it an executor of JDK 21 and later that has a thread for each task, virtual or not? */
    private static boolean runsTask(Object container) {
        return container != null && container.getClass().getName().equals("java.util.concurrent.ThreadPerTaskExecutor");
    }

    /** Does the thread hand over only what virtual threads need to go on? */
    private static boolean internal(Thread t) {
        if (t.getClass() == Thread.class) return false;
        return carries(t) || t.getName().startsWith("VirtualThread-unparker");
    }

    /**
     * Is it a thread that carries virtual ones? It runs nothing else, and is the running thread
     * only while it changes what it carries.
     */
    private static boolean carries(Thread t) {
        return t.getClass() != Thread.class && t.getClass().getName().equals("jdk.internal.misc.CarrierThread");
    }
}
