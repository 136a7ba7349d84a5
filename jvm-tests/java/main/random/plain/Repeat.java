package random.plain;

import random.Act;
import random.Tape;

/** Without hooks: calls another act of the same signature several times, and goes on after what it throws. */
public class Repeat implements Act {
    private final Act first;
    private final Act second;

    public Repeat(Act first, Act second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public int go(Tape t) {
        int sum = first.go(t);
        int depth = t.depth();
        try {
            sum += second.go(t);
        } catch (RuntimeException | StackOverflowError e) {
            t.back(depth);
            sum += t.seen(e.getClass().getName());
        }
        return sum + first.go(t);
    }
}
