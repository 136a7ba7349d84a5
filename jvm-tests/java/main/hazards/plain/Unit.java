package hazards.plain;

/** What a class that is loaded and dropped is to the code that stays: {@link hazards.Unloading}. Not instrumented. */
public interface Unit {
    /** Calls the stayer back, through methods of its own. */
    long work(int depth);
}
