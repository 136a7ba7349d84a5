package random.plain;

import random.Tape;

/** Without hooks and loaded late: its signature is new by then. */
public class Late implements random.Plainly {
    private final random.Plainly inner;

    public Late(random.Plainly inner) {
        this.inner = inner;
    }

    @Override
    public long rarely(Tape t, int n) {
        return inner.rarely(t, n) + inner.rarely(t, n + 1) + inner.after(t);
    }

    @Override
    public int after(Tape t) {
        return inner.after(t);
    }
}
