package random;

/** A signature that no class of the JDK has: it becomes interposable when {@link random.plain.Late} is loaded. */
public interface Plainly {
    long rarely(Tape t, int n);

    int after(Tape t);

    /** With hooks. */
    final class Direct implements Plainly {
        @Override
        public long rarely(Tape t, int n) {
            return n > 2 ? Steps.step(t) : rarely(t, n + 2) + after(t);
        }

        @Override
        public int after(Tape t) {
            return Steps.step(t);
        }
    }
}
