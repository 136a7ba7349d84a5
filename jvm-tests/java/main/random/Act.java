package random;

/** One piece of a program. All pieces share the signature, so that code without hooks may stand between any two. */
public interface Act {
    int go(Tape t);

    /** A default method that calls its own kind. */
    default int again(Tape t) {
        return inner(t) + Steps.step(t);
    }

    private int inner(Tape t) {
        return go(t) ^ Steps.step(t);
    }

    static int twice(Act act, Tape t) {
        return act.go(t) + act.go(t);
    }
}
