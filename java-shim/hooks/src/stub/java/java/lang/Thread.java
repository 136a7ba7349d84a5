package java.lang;

/**
 * {@code java.lang.Thread} as the agent completes it: the state fields of docs/design/thread-state.md.
 * Only compiled against; the running JVM has its own.
 */
public class Thread {
    /** Word of the activation that published last. */
    public transient long $lucce$ctx;
    /** Its site; 0 UNKNOWN, 1 ROOT, -1 RESUME. */
    public transient int $lucce$site;
    /** Index of the first free long of the shadow stack. */
    public transient int $lucce$top;
    /** Where the last push began: {@code top} once that frame has left. */
    public transient int $lucce$slot;
    /** The shadow stack, four longs an entry; null until the first push. */
    public transient long[] $lucce$stack;
    /** Version of the word in {@code $lucce$ctx}; 0 unless the encoder is Algorithm 1. */
    public transient int $lucce$version;

    /** The origin in force while the thread runs no task: where it was started, or what was in force where it began to wait for tasks. */
    public transient int $lucce$started;
    /** The origin in force: that of the task which the thread runs, otherwise {@code $lucce$started}. */
    public transient int $lucce$origin;
    /** 0 as long as all activations of the thread are inactive, and UNKNOWN is published; 1 otherwise, and for good. */
    public transient int $lucce$hooksEnabled;
    /** 1 once an exception may have struck the thread within a hook, for good: its shadow stack may hold entries of activations that are gone. */
    public transient int $lucce$doubted;
    /** With {@code profile} the entries until the next sample, negative; with {@code profile=<time>} the tick of the last sample. */
    public transient int $lucce$tick;
    /**
     * With {@code profile=<time>}: 1 from the thread's sample to the next tick, when a thread of the agent's makes it 0; -1 once hooks are
     * enabled in the thread.
     */
    public transient volatile int $lucce$sampled;

    /** Its name. */
    public final native String getName();

    /** The running thread. */
    public static native Thread currentThread();
}
