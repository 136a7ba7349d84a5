package random;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.TreeSet;
import random.plain.Base;

/** Constructors: chains, throwing arguments, superclasses that call back before the rest is made. */
final class Builds {
    private Builds() {}

    static int any(Tape t) {
        switch (t.next(9)) {
            case 0:
                return new Node(t, t.next(5)).value;
            case 1:
                return new Node(t).value;
            case 2:
                return new Sub(t, t.next(4)).go(t);
            case 3:
                return new Adding(t, List.of(1, 2)).size();
            case 4:
                return new Refused(t, t.next(3) - 1).size();
            case 5:
                return new Node(t, divided(t)).value + Steps.step(t);
            case 6:
                return new Sub(t, 1).again(t);
            case 7:
                return new Sorted(t).size();
            default:
                return new Outer(t).new Inner(t).value;
        }
    }

    static int divided(Tape t) {
        return Throws.divide(Steps.step(t), t.next(2)) % 3;
    }

    static class Node {
        final int value;
        final List<Node> children = new ArrayList<>();

        Node(Tape t) {
            this(t, t.one(2) ? Math.abs(divided(t)) : Steps.step(t) % 3);
            Steps.step(t);
        }

        Node(Tape t, int n) {
            int sum = Steps.step(t);
            for (int i = 0; i < n && i < 4; i++) {
                children.add(t.one(2) ? new Node(t, n - 1) : new Leaf(t, n - 1));
                sum += children.get(i).value;
            }
            if (t.one(12)) {
                value = 0;
                return;
            }
            value = sum + Steps.step(t);
        }
    }

    static class Leaf extends Node {
        Leaf(Tape t) {
            this(t, divided(t));
        }

        Leaf(Tape t, int n) {
            super(t, t.one(3) ? Steps.step(t) % 2 : 0);
            int depth = t.depth();
            try {
                Throws.any(t);
            } catch (RuntimeException e) {
                t.back(depth);
                Steps.step(t);
            }
        }
    }

    /** Throws before, in, or behind the superclass's constructor. */
    static class Failing extends Node {
        Failing(Tape t) {
            super(t, t.one(3) ? divided(t) : 0);
            Throws.divide(Steps.step(t), t.next(3));
        }
    }

    static class Sub extends Base {
        private final Tape tape;

        Sub(Tape t, int n) {
            super(t, n == 0 ? Steps::step : n == 1 ? u -> Throws.divide(1, u.next(2)) : new Calls()::go);
            tape = t;
            Steps.step(t);
        }

        @Override
        protected int part(Tape t) {
            return tape == null ? Steps.step(t) : Steps.step(tape) + 1;
        }

        @Override
        public int again(Tape t) {
            return super.again(t) + part(t);
        }
    }

    /** HashSet's constructor calls add, before the fields of this class are made. */
    static class Adding extends HashSet<Integer> {
        private static final ThreadLocal<Tape> TAPE = new ThreadLocal<>();

        Adding(Tape t, Collection<Integer> from) {
            super(keep(t, from));
            Steps.step(t);
        }

        static Collection<Integer> keep(Tape t, Collection<Integer> from) {
            TAPE.set(t);
            return from;
        }

        @Override
        public boolean add(Integer i) {
            Steps.step(TAPE.get());
            return super.add(i) | Steps.step(TAPE.get()) == 0;
        }
    }

    /** A superclass's constructor that throws for -1. */
    static class Refused extends HashMap<Object, Object> {
        Refused(Tape t, int n) {
            super(n + 0 * Steps.step(t));
            Steps.step(t);
        }
    }

    static class Sorted extends TreeSet<Object> {
        Sorted(Tape t) {
            super((a, b) -> Steps.step(t) * 0 + a.hashCode() - b.hashCode());
            add(1);
            add(2);
            addAll(List.of(3, 4));
        }
    }

    static class Outer {
        final int base;

        Outer(Tape t) {
            base = Steps.step(t);
        }

        class Inner {
            final int value;
            final int early;

            {
                early = base + 1;
            }

            Inner(Tape t) {
                value = early + base + new Object() {
                    int go() {
                        return Steps.step(t) + base;
                    }
                }.go();
            }
        }
    }
}
