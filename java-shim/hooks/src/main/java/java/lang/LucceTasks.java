package java.lang;

import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountedCompleter;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * Which task was handed over where ({@code async=on}). The JDK's own tasks keep their origin in a
 * field that was added to their classes; for those of the program, which the JDK runs as they are,
 * there is a table.
 *
 * <p><b>Invariant.</b> A task has the origin of its own handing over, or one that says why it is
 * not known; never that of another task or of another time. The program's objects are neither
 * wrapped nor kept alive, and the table is bounded.
 */
final class LucceTasks {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** In a task's field: it was handed over, and there is nothing to say of where. */
    private static final int NOTHING = -1;

    /**
     * Low bits of the field that are the origin, where those above say how often the task waits;
     * there are fewer origins.
     */
    private static final int ORIGIN_BITS = 24;
    private static final int ORIGIN = (1 << ORIGIN_BITS) - 1;
    /** So often at least; how often is not counted any more. */
    private static final int OFTEN = 0xFF;

    /** Grounds of origins, as the agent has them. */
    private static final int UNMET = 4;

    private static final long FUTURE = offset(FutureTask.class);
    private static final long FORK_JOIN = offset(ForkJoinTask.class);
    private static final long TIMER = offset(TimerTask.class);

    private static final int BUCKETS = 1 << 12;
    private static final int LOCKS = 1 << 6;
    /** Most tasks in a bucket. */
    private static final int MOST = 16;
    /** Tasks of the program that wait; a bucket is guarded by one of the locks. */
    private static final LucceTask[] WAITING = new LucceTask[BUCKETS];
    private static final Object[] GUARDS = new Object[LOCKS];
    /**
     * Has a task found no room in the bucket, at any time? Which one it was is not known, so those
     * that come later may be it, and it may wait for long.
     */
    private static final boolean[] TURNED_AWAY = new boolean[BUCKETS];

    private static int ambiguous;
    private static int unmet;

    static {
        for (int i = 0; i < LOCKS; i++) GUARDS[i] = new Object();
    }

    private LucceTasks() {}

    /**
     * Has this class initialised with the hooks, not by the first task, which may be handed over
     * where the stack ends.
     */
    static void ready() {}

    /** The offset of the added field; 0 where the class does not have it. */
    private static long offset(Class<?> type) {
        try {
            return U.objectFieldOffset(type, "$lucce$origin");
        } catch (Throwable e) {
            return 0;
        }
    }

    /** Where a task keeps its origin; 0 for one of the program's own. */
    private static long field(Object task) {
        if (task instanceof FutureTask) return FUTURE;
        if (task instanceof ForkJoinTask) return FORK_JOIN;
        if (task instanceof TimerTask) return TIMER;
        return 0;
    }

    /** The origin of what is handed over now. */
    @Hidden
    private static int here(Thread t) {
        int origin = LucceApi.origin(t, LucceApi.SUBMITTED);
        return origin == 0 ? NOTHING : origin;
    }

    /** The task is put into a queue now. */
    @Hidden
    static void submitted(Thread t, Object task) {
        if (task == null) return;
        long field = field(task);
        if (field == 0) {
            int origin = LucceOrigins.failed();
            try {
                origin = here(t);
            } finally {
                // Whatever happened: it waits, and is not to be taken for itself at a later time.
                put(task, origin);
            }
        } else if (task instanceof ForkJoinTask) {
            // A stage of a CompletableFuture was handed over when it was made, whoever completes
            // what it waits for.
            if (task instanceof CompletableFuture.AsynchronousCompletionTask && U.getInt(task, field) != 0) return;
            U.putInt(task, field, LucceOrigins.failed());
            U.putInt(task, field, here(t));
        } else {
            queued(t, task, field);
        }
    }

    /**
     * A task that has a field and may be handed over again, while it waits or when it has run: its
     * origin, and how often it waits.
     */
    @Hidden
    private static void queued(Thread t, Object task, long field) {
        int failed = LucceOrigins.failed();
        int before;
        int counted;
        do {
            before = U.getIntVolatile(task, field);
            counted = packed(failed, times(before) + 1);
        } while (!U.compareAndSetInt(task, field, before, counted));
        int origin = here(t);
        int times = times(counted);
        // A second time, while it may still wait for its first run; perhaps by another thread, at
        // this moment.
        int after = times < OFTEN && (times == 1 || origin(before) == origin) ? origin : ambiguous(origin(before), origin);
        if (U.compareAndSetInt(task, field, counted, packed(after, times))) return;
        int now;
        do {
            now = U.getIntVolatile(task, field);
        } while (!U.compareAndSetInt(task, field, now, now == 0 ? 0 : packed(ambiguous(origin(now), origin), times(now))));
    }

    private static int packed(int origin, int times) {
        return Math.min(times, OFTEN) << ORIGIN_BITS | origin & ORIGIN;
    }

    private static int times(int field) {
        return field >>> ORIGIN_BITS;
    }

    private static int origin(int field) {
        return field << 32 - ORIGIN_BITS >> 32 - ORIGIN_BITS;
    }

    /** It waits once less: the origin that it had; 0 if it is not known to wait. */
    private static int taken(Object task, long field) {
        int before;
        int after;
        do {
            before = U.getIntVolatile(task, field);
            int times = times(before);
            after = times == OFTEN ? before : times <= 1 ? 0 : packed(origin(before), times - 1);
        } while (!U.compareAndSetInt(task, field, before, after));
        return origin(before);
    }

    /**
     * Those that are run again without being handed over: by {@link java.util.Timer}, and by an
     * executor with delays.
     */
    private static boolean recurs(Object task) {
        return task instanceof TimerTask || task instanceof RunnableScheduledFuture;
    }

    /** The task is given to a fork/join pool, which makes one of its own of it if it is none. */
    @Hidden
    static void passed(Thread t, Object task) {
        if (task instanceof ForkJoinTask) submitted(t, task);
    }

    /**
     * A task of the fork/join framework is made now: if by the JDK, for what is handed over in the
     * same call.
     */
    @Hidden
    static void created(Thread t, Object task) {
        if (FORK_JOIN == 0 || task instanceof CountedCompleter || task.getClass().getClassLoader() != null) return;
        // At the end of the stack the rest of this fails, and the task goes on.
        U.putInt(task, FORK_JOIN, LucceOrigins.failed());
        U.putInt(task, FORK_JOIN, here(t));
    }

    /** The executor has refused the task. */
    static void dropped(Object task) {
        if (task == null) return;
        long field = field(task);
        if (field == 0) take(task);
        else if (task instanceof ForkJoinTask) U.putInt(task, field, 0);
        else taken(task, field);
    }

    /** The thread of an executor runs the task now. */
    static void began(Thread t, Object task) {
        long field = field(task);
        int origin;
        if (field == 0) origin = take(task);
        else if (task instanceof ForkJoinTask) origin = U.getInt(task, field);
        else origin = recurs(task) ? origin(U.getIntVolatile(task, field)) : taken(task, field);
        t.$lucce$origin = origin == 0 ? unmet() : origin == NOTHING ? 0 : origin;
    }

    /** A thread runs the task now, one that was handed over or one that was not. */
    static void entered(Thread t, Object task) {
        int origin = FORK_JOIN == 0 ? 0 : U.getInt(task, FORK_JOIN);
        if (origin != 0) t.$lucce$origin = origin == NOTHING ? 0 : origin;
    }

    /** It was handed over with one of the two. */
    private static int ambiguous(int one, int other) {
        // A measurement wants to know whether both are its own.
        if (LucceCaptures.key(one) != 0 || LucceCaptures.key(other) != 0) return LucceApi.ambiguous(one, other);
        if (ambiguous == 0) ambiguous = LucceApi.ambiguous(0, 0);
        return ambiguous;
    }

    private static int unmet() {
        if (unmet == 0) unmet = LucceApi.originWithout(LucceApi.SUBMITTED, UNMET);
        return unmet;
    }

    private static void put(Object task, int origin) {
        int hash = System.identityHashCode(task);
        int bucket = hash & BUCKETS - 1;
        synchronized (GUARDS[bucket & LOCKS - 1]) {
            int length = 0;
            LucceTask last = null;
            for (LucceTask known = WAITING[bucket]; known != null; known = known.next) {
                Object other = known.get();
                if (other == task) {
                    known.times++;
                    if (known.origin != origin) known.origin = ambiguous(known.origin, origin);
                    return;
                }
                if (other == null) {
                    if (last == null) WAITING[bucket] = known.next;
                    else last.next = known.next;
                } else {
                    last = known;
                    length++;
                }
            }
            if (length >= MOST) {
                TURNED_AWAY[bucket] = true;
            } else {
                int known = TURNED_AWAY[bucket] ? ambiguous(LucceOrigins.failed(), origin) : origin;
                Thread t = Thread.currentThread();
                long ctx = LucceHooks.away(t);
                try {
                    WAITING[bucket] = new LucceTask(task, known, WAITING[bucket]);
                } finally {
                    LucceHooks.back(t, ctx);
                }
            }
        }
    }

    /**
     * The origin of a task that waits, once for each time that it was handed over; 0 if it is not
     * known to wait.
     */
    private static int take(Object task) {
        int hash = System.identityHashCode(task);
        int bucket = hash & BUCKETS - 1;
        synchronized (GUARDS[bucket & LOCKS - 1]) {
            LucceTask last = null;
            for (LucceTask known = WAITING[bucket]; known != null; last = known, known = known.next) {
                if (known.get() != task) continue;
                if (--known.times == 0) {
                    if (last == null) WAITING[bucket] = known.next;
                    else last.next = known.next;
                }
                return known.origin;
            }
            // It may have been put into the queue past the executor, so it says nothing of those
            // that were turned away.
            return 0;
        }
    }
}
