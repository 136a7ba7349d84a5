package random;

/** What programs throw. Handlers name these classes long before any is loaded. */
public final class Troubles {
    private Troubles() {}

    /** Its constructor is a program of its own. */
    public static class Trouble extends RuntimeException {
        private final transient Tape tape;

        public Trouble(Tape t) {
            super("trouble " + Steps.step(t));
            tape = t;
        }

        @Override
        public String getMessage() {
            return super.getMessage() + ":" + (tape == null ? 0 : Steps.step(tape));
        }
    }

    /** Never thrown: it only has to be loaded where a handler is looked for. */
    public static class Unseen extends RuntimeException {
        static {
            Steps.initial(5);
        }
    }

    /** Another one, for a second handler. */
    public static class Absent extends Trouble {
        public Absent(Tape t) {
            super(t);
        }
    }

    /** Checked. */
    public static class Checked extends Exception {
        public Checked(int n) {
            super("checked " + n);
        }
    }

    /** Closing may throw, too. */
    public static final class Closing implements AutoCloseable {
        private final Tape tape;

        public Closing(Tape t) {
            tape = t;
            Steps.step(t);
        }

        @Override
        public void close() throws Checked {
            int n = Steps.step(tape);
            if (tape.one(4)) {
                throw new Checked(n);
            }
        }
    }
}
