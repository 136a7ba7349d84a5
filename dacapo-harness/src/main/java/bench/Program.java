package bench;

/**
 * A benchmark program. Life cycle, as DaCapo's: {@code prepare} once; then, for each iteration, {@code before} (not timed), {@code iterate}
 * (timed), {@code validate} (not timed). Every iteration does the same work from the same state, whatever the JVM.
 */
public interface Program {
    /** Makes or unpacks the inputs. */
    void prepare(Place place) throws Exception;

    /** Restores the state that an iteration starts from. */
    default void before() throws Exception {}

    /** The work. */
    void iterate() throws Exception;

    /** A digest of all that the last iteration put out; throws if that cannot be right. */
    long validate() throws Exception;

    /** Ends threads and servers. */
    default void close() throws Exception {}
}
