package random.plain;

import java.util.function.ToIntFunction;
import random.Act;
import random.Tape;

/** Without hooks: calls overridden methods out of its constructor and its own method, and may throw from either. */
public abstract class Base implements Act {
    protected final int made;

    protected Base(Tape t, ToIntFunction<Tape> argument) {
        int sum = argument.applyAsInt(t);
        sum += part(t);
        if (sum % 5 == 0) {
            throw new IllegalStateException("base");
        }
        made = sum + part(t);
    }

    protected abstract int part(Tape t);

    @Override
    public int go(Tape t) {
        return part(t) + made;
    }

    /** The same name as in subclasses, statically bound there. */
    public int again(Tape t) {
        return part(t) + go(t) + part(t);
    }
}
