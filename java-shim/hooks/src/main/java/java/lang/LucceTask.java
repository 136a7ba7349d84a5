package java.lang;

import java.lang.ref.WeakReference;

/**
 * A task of the program that waits in an executor, in a bucket of {@link LucceTasks}: weakly held,
 * so that it may vanish unrun.
 */
final class LucceTask extends WeakReference<Object> {
    /**
     * Where it was handed over; of one that was handed over in several places, that this cannot be
     * told.
     */
    int origin;
    /** How often it waits. */
    int times = 1;
    /** The next one of its bucket. */
    LucceTask next;

    LucceTask(Object task, int origin, LucceTask next) {
        super(task);
        this.origin = origin;
        this.next = next;
    }
}
