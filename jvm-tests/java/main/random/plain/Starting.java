package random.plain;

import random.Steps;
import random.Tape;

/** Without hooks: its initialisers, and those of the classes in it, call instrumented code. */
public class Starting {
    static final int VALUE = Steps.initial(3) + Steps.initial(4);

    public static int get(Tape t) {
        return VALUE + Steps.step(t) + Steps.step(t);
    }

    /** Initialised by {@code getstatic}. */
    public static class ByField {
        public static int value = Steps.initial(1) + Steps.initial(2);
    }

    /** Initialised by {@code putstatic}. */
    public static class ByPut {
        public static int value = Steps.initial(3);
    }

    /** Initialised by {@code new}. */
    public static class ByNew {
        static final int VALUE = Steps.initial(5) + Steps.initial(6);
    }
}
