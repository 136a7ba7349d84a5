package random.plain;

import java.util.function.Function;
import random.Act;
import random.Tape;

/** Without hooks: has things made by a constructor, catches what that throws, and calls on. */
public class Making implements Act {
    private final Function<Tape, Object> constructor;
    private final Act next;

    public Making(Function<Tape, Object> constructor, Act next) {
        this.constructor = constructor;
        this.next = next;
    }

    @Override
    public int go(Tape t) {
        int sum = 0;
        for (int i = 0; i < 2; i++) {
            int depth = t.depth();
            try {
                sum += constructor.apply(t) == null ? 0 : 1;
            } catch (RuntimeException e) {
                t.back(depth);
            }
            sum += next.go(t);
        }
        return sum;
    }
}
