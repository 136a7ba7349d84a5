package random;

/** What {@link Shifts}' classes call once they call something. */
public final class Shifted {
    /** Whose program it is, by thread. */
    static final ThreadLocal<Tape> TAPE = new ThreadLocal<>();

    private Shifted() {}

    /** In place of {@code Math.abs}. */
    public static int abs(int n) {
        Tape t = TAPE.get();
        return t == null ? n : Steps.step(t) ^ n;
    }
}
