package hazards;

import java.util.function.Supplier;

/** Default, private and static interface methods, diamonds, bridges, covariant returns, nested and local classes, enums. */
public final class Members {
    private int state;

    private Members() {}

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    interface Top {
        default int value(int n) {
            return hidden(n) + helper(n);
        }

        private int hidden(int n) {
            return leaf(n);
        }

        static int helper(int n) {
            return leaf(n);
        }
    }

    interface Left extends Top {
        @Override
        default int value(int n) {
            return Top.super.value(n) + leaf(n);
        }
    }

    interface Right extends Top {
        @Override
        default int value(int n) {
            return Top.super.value(n) * 2;
        }
    }

    static class Diamond implements Left, Right {
        @Override
        public int value(int n) {
            return Left.super.value(n) + Right.super.value(n);
        }
    }

    abstract static class Shape<T extends Comparable<T>> implements Comparable<Shape<T>>, Cloneable {
        abstract T key();

        abstract Object self();

        @Override
        public int compareTo(Shape<T> other) {
            return key().compareTo(other.key());
        }

        @Override
        protected Object clone() throws CloneNotSupportedException {
            leaf(1);
            return super.clone();
        }
    }

    /** Bridges: key()Comparable, self()Object, compareTo(Object), clone()Object, apply(Object). */
    static final class Square extends Shape<Integer> implements java.util.function.Function<Square, Square> {
        @Override
        Integer key() {
            return leaf(2);
        }

        @Override
        Square self() {
            return apply(this);
        }

        @Override
        public Square clone() throws CloneNotSupportedException {
            leaf(2);
            return (Square) super.clone();
        }

        @Override
        public Square apply(Square s) {
            Check.here();
            return s;
        }
    }

    static <T extends Comparable<T>> int shapes(Shape<T> a, Shape<T> b) throws CloneNotSupportedException {
        Object cloned = a.clone();
        Check.here();
        return a.compareTo(b) + (a.self() == a ? 1 : 0) + a.key().compareTo(b.key()) + (cloned == a ? 100 : 0);
    }

    final class Inner {
        private final int own = state + leaf(1);

        private int secret() {
            state++;
            return own + outerSecret();
        }

        final class Innermost {
            int all() {
                return secret() + outerSecret() + leaf(state);
            }
        }
    }

    private int outerSecret() {
        Check.here();
        return state;
    }

    int nested(int n) {
        class Local {
            int get() {
                return leaf(n) + outerSecret();
            }
        }
        Supplier<Integer> anonymous = new Supplier<>() {
            private final int made = leaf(n);

            {
                Check.here();
            }

            @Override
            public Integer get() {
                return made + new Local().get();
            }
        };
        Inner inner = new Inner();
        return anonymous.get() + inner.secret() + inner.new Innermost().all();
    }

    enum Operation {
        PLUS {
            @Override
            int apply(int a, int b) {
                return leaf(a + b);
            }
        },
        TIMES {
            @Override
            int apply(int a, int b) {
                return leaf(a * b);
            }
        };

        Operation() {
            Check.here();
        }

        abstract int apply(int a, int b);
    }

    static int enums(String word) {
        int sum = 0;
        for (Operation op : Operation.values()) {
            sum += Operation.valueOf(op.name()).apply(3, 4);
            switch (op) {
                case PLUS:
                    sum += leaf(1);
                    break;
                default:
                    sum += leaf(2);
            }
        }
        switch (word) {
            case "one":
                return sum + leaf(10);
            case "two":
                return sum + leaf(20);
            default:
                return sum + leaf(30);
        }
    }

    static int variadic(int... numbers) {
        int sum = 0;
        for (int n : numbers) {
            sum += leaf(n);
        }
        return sum;
    }

    static long wide(long a, double b, float c, byte d, char e, boolean f) {
        Check.here();
        return (long) (a + b + c + d + e + (f ? 1 : 0));
    }

    static int resources() throws Exception {
        try (AutoCloseable a = () -> leaf(1); AutoCloseable b = () -> leaf(2)) {
            return leaf(a == b ? 1 : 2);
        } finally {
            leaf(3);
        }
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        for (int round = 0; round < 60; round++) {
            sum += new Diamond().value(round) + shapes(new Square(), new Square());
            sum += new Members().nested(round) + enums(round % 2 == 0 ? "one" : "two");
            sum += variadic(1, round, 3) + variadic() + wide(round, 2.5, 1f, (byte) 3, 'c', true) + resources();
        }
        System.out.println(sum);
        Check.done("Members");
    }
}
