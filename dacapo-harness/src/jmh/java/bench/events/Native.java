package bench.events;

/** JVMTI's GetStackTrace, called as a native agent would. */
final class Native {
    private Native() {}

    /** Is there JVMTI? */
    static native boolean open();

    /** The number of frames that a walk of this thread found; -1 if it failed. */
    static native int walk();
}
