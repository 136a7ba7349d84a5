package hazards.plain;

import hazards.Foreseen;

/** Excluded by the driver: a step that stands between a call and another step, loaded when the other one has been rewritten. */
public final class Late implements Foreseen.Step {
    private final Foreseen.Step next;

    /** In front of this one, or none. */
    public Late(Foreseen.Step next) {
        this.next = next;
    }

    @Override
    public int foreseen(int n) {
        return next == null ? n : next.foreseen(n);
    }
}
