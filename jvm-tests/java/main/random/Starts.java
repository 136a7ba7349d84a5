package random;

import random.plain.Starting;

/** Static initialisers, started by every kind of instruction, some of which fail. */
final class Starts {
    private Starts() {}

    static int any(Tape t) {
        Tape before = Steps.CURRENT.get();
        Steps.CURRENT.set(t);
        int depth = t.depth();
        try {
            switch (t.next(14)) {
                case 0:
                    return ByField.value + Steps.step(t);
                case 1:
                    return ByCall.call(t);
                case 2:
                    return new ByNew(t).go(t);
                case 3:
                    return new Below(t).go(t);
                case 4:
                    return Face.CONSTANT.length();
                case 5:
                    return Failing.value;
                case 6:
                    return new WithFace().face(t);
                case 7:
                    ByPut.value = Steps.step(t);
                    return ByPut.value;
                case 8:
                    return Starting.get(t);
                case 10:
                    return outside();
                case 11:
                    return new Starting.ByNew() == null ? 0 : Steps.step(t);
                case 12:
                    return Starting.ByField.value + Steps.step(t);
                case 9:
                    return kind(t.one(2) ? Kind.ONE : Kind.TWO);
                default:
                    return Circle.value + Steps.step(t);
            }
        } catch (ExceptionInInitializerError e) {
            t.back(depth);
            return t.seen(e.getException().getClass().getName()) + Steps.step(t);
        } finally {
            Steps.CURRENT.set(before);
        }
    }

    /** Initialises what depends on itself, before several threads meet there. */
    static void all() {
        new Below(new Tape(1, 0));
        Kind.ONE.name();
        Steps.CURRENT.remove();
        Calls.leaf(Other.value);
    }

    /** Begins with an initialisation, while its caller's publication is the last. */
    static int outside() {
        Starting.ByPut.value = 3;
        return Steps.initial(7);
    }

    static int kind(Kind kind) {
        switch (kind) {
            case ONE:
                return Steps.initial(1);
            default:
                return kind.value;
        }
    }

    static final class ByField {
        static int value = Steps.initial(1) + Steps.initial(2);
    }

    static final class ByPut {
        static int value;

        static {
            for (int i = 0; i < 2; i++) {
                Steps.initial(i);
            }
        }
    }

    static class ByCall {
        static int before = Steps.initial(2);

        static int call(Tape t) {
            return before + Steps.step(t);
        }
    }

    static class ByNew extends ByCall implements Act {
        static final Object LOCK = Steps.initial(3);

        ByNew(Tape t) {
            Steps.step(t);
        }

        @Override
        public int go(Tape t) {
            return call(t) + LOCK.hashCode();
        }
    }

    static final class Below extends ByNew {
        static {
            call(new Tape(Steps.initial(1), Steps.shared ? 0 : 9));
        }

        Below(Tape t) {
            super(t);
        }
    }

    interface Face {
        String CONSTANT = "constant " + Steps.initial(4);

        default int face(Tape t) {
            return Steps.step(t) + CONSTANT.length() * 0;
        }
    }

    static final class WithFace implements Face {}

    static final class Failing {
        static int value = Throws.divide(Steps.initial(0), 0);
    }

    enum Kind {
        ONE(Steps.initial(1)),
        TWO(2) {
            @Override
            int value() {
                return Steps.initial(5);
            }
        };

        final int value;

        Kind(int n) {
            value = n + value();
        }

        int value() {
            return Steps.initial(6);
        }
    }

    static class Circle {
        static int value = Other.value + Steps.initial(1);
    }

    static final class Other extends Circle {
        static int value = Circle.value + Steps.initial(2);
    }
}
