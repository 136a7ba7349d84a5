package hazards;

import java.util.ArrayList;
import java.util.List;

/** Exceptions out of constructors: before super(), in super(), in initialisers, after; and calls that follow. */
public final class ConstructorThrows {
    static final List<Base> ESCAPED = new ArrayList<>();

    private ConstructorThrows() {}

    static class Base {
        final int value;

        Base(int value) {
            Check.here();
            this.value = fail(value, 2);
            virtual();
        }

        void virtual() {
            Check.here();
        }
    }

    static class Middle extends Base {
        final int own = fail(1, 3) + leaf(0);

        Middle(int value) {
            super(fail(value, 1) + leaf(0));
            fail(value, 4);
        }

        Middle(int value, String text) {
            this(leaf(value) + text.length());
            leaf(value);
        }

        @Override
        void virtual() {
            leaf(1);
            super.virtual();
        }
    }

    static final class Last extends Middle {
        Last(int value) {
            super(nested(value), new StringBuilder().append(leaf(0)).substring(1));
            ESCAPED.add(this);
            Check.here();
        }

        Last(boolean flag) {
            super(flag ? leaf(1) : fail(1, 9));
        }

        private static int nested(int value) {
            try {
                return new Middle(value - 1).value + 1;
            } catch (IllegalStateException e) {
                leaf(2);
                throw e;
            }
        }
    }

    static class Exceptional extends Exception {
        private static final long serialVersionUID = 1L;

        Exceptional(int n) throws Exceptional {
            super("n" + leaf(n));
            if (n == 0) {
                throw this;
            }
            throw new Exceptional(n - 1);
        }
    }

    static int at;

    static int fail(int value, int point) {
        if (point == at) {
            throw new IllegalStateException("point " + point);
        }
        return value;
    }

    static int leaf(int n) {
        Check.here();
        return n;
    }

    static int attempt(int point) {
        at = point;
        int caught = 0;
        try {
            caught += new Last(5).value;
            leaf(1);
        } catch (IllegalStateException e) {
            caught += 100;
            leaf(2);
        }
        try {
            caught += new Middle(3).value;
        } catch (IllegalStateException e) {
            caught += 1000;
        }
        leaf(3);
        try {
            new Last(point % 2 == 0);
        } catch (IllegalStateException e) {
            caught += 10_000;
        }
        leaf(4);
        try {
            throw new Exceptional(point + 2);
        } catch (Exceptional e) {
            leaf(5);
        }
        return caught;
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int round = 0; round < 60; round++) {
            for (int point = 0; point < 6; point++) {
                sum = sum * 31 + attempt(point);
            }
        }
        System.out.println(sum + " " + ESCAPED.size());
        Check.done("ConstructorThrows");
    }
}
