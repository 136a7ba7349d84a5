package random;

import agents.Retransformer;

/**
 * Classes that are redefined while their methods are on the stack: methods and constructors that call nothing, so that their callers publish
 * nothing for them, begin to call something, and stop again. {@code java.lang.Math} becomes {@link Shifted} there, and back.
 *
 * <p>Needs the other agent. Each redefinition is made of the class as it was compiled, as a debugger's is.
 */
final class Shifts {
    private Shifts() {}

    static int any(Tape t) {
        return with(t, Shifts::one);
    }

    /** A piece of this tape's program, and what it calls once it calls something. */
    private static int with(Tape t, Act piece) {
        Tape before = Shifted.TAPE.get();
        Shifted.TAPE.set(t);
        try {
            return piece.go(t);
        } finally {
            Shifted.TAPE.set(before);
        }
    }

    private static int one(Tape t) {
        switch (t.next(10)) {
            case 0:
                return shift(t, Body.class, 0);
            case 1:
                return shift(t, More.class, 1);
            case 2:
                return Body.mixed(t);
            case 3:
                return Body.deep(t, t.next(5));
            case 4:
                return new More(t).three(t.next(9));
            case 5:
                return new More(t.next(9)).field + new Less(-t.next(9)).three(RELYING);
            case 6:
                return More.around(t, t.next(3));
            case 7:
                return again(t);
            case 8:
                Body body = new Body(t.next(5));
                return quieten(t) + Body.both(t, body, body);
            default:
                return Body.one(t.next(9)) + Steps.step(t) + Body.two(-t.next(9));
        }
    }

    /** A subclass that is loaded while {@link Body} is known to call nothing in its constructor, and relies on it. */
    private static final int RELYING = new Body(1).field + new Less(1).field;

    /** Which of the classes call something. */
    private static final boolean[] LOUD = new boolean[2];
    /** Is {@link Body} being made anew of what it is? */
    private static boolean made;

    /** Redefines the class: it calls something from now on, or no longer does. */
    static int shift(Tape t, Class<?> type, int number) {
        // HotSpot gives memory back twice where a class is redefined while the other agent's part of its retransformation runs.
        if (made) {
            return Steps.step(t);
        }
        synchronized (LOUD) {
            LOUD[number] ^= true;
            String called = LOUD[number] ? "random/Shifted" : "java/lang/Math";
            try {
                Retransformer.redefine(type, Retransformer.changed(type, "java/lang/Math", called));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return Steps.step(t);
    }

    /** So that what is called next is called by code that publishes nothing for it. */
    private static int quieten(Tape t) {
        return LOUD[0] ? shift(t, Body.class, 0) : 0;
    }

    /** Has the class made anew of what it is, with a piece of the program inside the other agent. */
    private static int again(Tape t) {
        // The other agent changes one class at a time. What is inside redefines nothing, so it is short.
        Tape inside = Steps.shared || made ? null : t.split(20);
        if (inside == null) {
            return Steps.step(t);
        }
        made = true;
        try {
            Retransformer.change(Body.class, "(none)", "(none)", () -> with(inside, Steps::step));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            made = false;
        }
        return Body.two(t.seen(inside.digest()));
    }

    interface Calm {
        int calm(int n);
    }

    static class Body implements Calm {
        final int field;

        Body(int n) {
            field = Math.abs(n);
        }

        static int one(int n) {
            return Math.abs(n) + 1;
        }

        static int two(int n) {
            return one(n) * 2 - one(-n);
        }

        final int three(int n) {
            return two(n) - field;
        }

        @Override
        public final int calm(int n) {
            if (n == 0) {
                return field;
            }
            return Math.abs(n);
        }

        /**
         * The same method called with a publish, and at once again without one. An interface's call that enters it makes the link that a later
         * one leaves published, for it returns at once.
         */
        static int both(Tape t, Calm open, Body bound) {
            int sum = 0;
            for (int i = 0; i < 8; i++) {
                int n = t.next(2);
                sum += open.calm(n);
                sum += bound.calm(1);
                if (i == 1 || t.one(8)) {
                    shift(t, Body.class, 0);
                }
            }
            return sum;
        }

        /** Calls with and without a publish, in turn. */
        static int mixed(Tape t) {
            int sum = Steps.step(t) + one(t.next(9));
            sum += two(sum);
            sum += Steps.step(t);
            for (int i = 0; i < 3; i++) {
                sum += one(sum) + one(i);
                if (t.one(4)) {
                    shift(t, Body.class, 0);
                }
            }
            return sum + two(3) + Steps.step(t) + one(sum);
        }

        /** The class is redefined half-way up: those below are obsolete then. */
        static int deep(Tape t, int n) {
            if (n == 0) {
                return shift(t, Body.class, 0) + two(1);
            }
            int inner = deep(t, n - 1);
            return inner + one(n) + (t.one(3) ? Steps.step(t) : 0) + new Body(n).three(inner);
        }
    }

    static final class Less extends Body {
        Less(int n) {
            super(n);
        }
    }

    static class More extends Body {
        More(int n) {
            super(n);
        }

        More(Tape t) {
            super(t.one(2) ? shift(t, Body.class, 0) : Math.abs(Steps.step(t)));
            Steps.step(t);
        }

        private static int quiet(int n) {
            return Math.abs(n);
        }

        static int around(Tape t, int n) {
            int depth = t.depth();
            try {
                return quiet(Steps.step(t)) + Throws.any(t) + (n > 0 ? around(t, n - 1) : shift(t, More.class, 1));
            } catch (RuntimeException e) {
                t.back(depth);
                return quiet(n) + one(n);
            } finally {
                t.back(depth);
                quiet(n);
            }
        }
    }
}
