package hazards;

/** Self recursion, mutual recursion of two and three methods, Ackermann: every entry checked, to depth 400: each check walks the whole stack. */
public final class Recursion {
    private Recursion() {}

    static int self(int n) {
        if (n == 0 || n % 100 == 1) {
            Check.here();
        }
        return n == 0 ? 0 : 1 + self(n - 1);
    }

    static int even(int n) {
        if (n == 0) {
            Check.here();
            return 1;
        }
        return odd(n - 1);
    }

    static int odd(int n) {
        return n == 0 ? 0 : even(n - 1);
    }

    static int red(int n) {
        Check.here();
        return n == 0 ? 0 : 1 + green(n - 1) + (n % 10 == 0 ? blue(n / 2) : 0);
    }

    static int green(int n) {
        return n == 0 ? 0 : 1 + blue(n - 1);
    }

    static int blue(int n) {
        return n == 0 ? 0 : 1 + red(n - 1);
    }

    static int ackermann(int m, int n) {
        // Never so; but a method that calls nothing but itself would have no hooks.
        if (n < 0) {
            Check.here();
        }
        if (m == 0) {
            return n + 1;
        }
        return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
    }

    interface Visitor {
        int visit(int n);
    }

    static final class Down implements Visitor {
        Visitor other;

        @Override
        public int visit(int n) {
            if (n < 3) {
                Check.here();
            }
            return n == 0 ? 0 : 1 + other.visit(n - 1);
        }
    }

    static final class Nested {
        final Nested child;

        Nested(int n) {
            if (n % 100 == 0) {
                Check.here();
            }
            child = n == 0 ? null : new Nested(n - 1);
        }
    }

    public static void main(String[] args) {
        for (int round = 0; round < 2; round++) {
            Check.equal(400, self(400));
            Check.equal(1, even(400));
            Check.equal(0, even(399));
            Check.equal(125, ackermann(3, 4));
            System.out.println(red(45));
            Down a = new Down();
            Down b = new Down();
            a.other = b;
            b.other = a;
            Check.equal(300, a.visit(300));
            Check.equal(false, new Nested(300).child == null);
        }
        Check.done("Recursion");
    }
}
