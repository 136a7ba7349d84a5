package hazards;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Records (their object methods come from a JDK bootstrap and call the components'), sealed types, patterns, enums in switches. */
public final class Records {
    private Records() {}

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    record Key(int n) {
        Key {
            Check.here();
            if (n < 0) {
                throw new IllegalArgumentException("" + leaf(n));
            }
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Key k && leaf(k.n) == leaf(n);
        }

        @Override
        public int hashCode() {
            return leaf(n) % 4;
        }

        @Override
        public String toString() {
            return "k" + leaf(n);
        }
    }

    record Pair<A, B>(A left, B right) implements Comparable<Pair<A, B>> {
        Pair(A both) {
            this(both, null);
        }

        static <T> Pair<T, T> twice(T value) {
            return new Pair<>(value, value);
        }

        @Override
        public int compareTo(Pair<A, B> other) {
            return leaf(toString().compareTo(other.toString()));
        }
    }

    sealed interface Shape permits Circle, Square {
        default int area() {
            return leaf(this instanceof Circle c ? c.r() * 3 : ((Square) this).side());
        }
    }

    record Circle(int r) implements Shape {}

    record Square(int side) implements Shape {
        @Override
        public int area() {
            return Shape.super.area() * side;
        }
    }

    static int choose(Shape shape) {
        String kind = shape.getClass().getSimpleName();
        return switch (kind) {
            case "Circle" -> leaf(1);
            case "Square" -> {
                int area = shape.area();
                yield leaf(area);
            }
            default -> throw new IllegalStateException(kind);
        };
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int round = 0; round < 50; round++) {
            Map<Object, Integer> map = new HashMap<>();
            for (int i = 0; i < 6; i++) {
                map.merge(new Pair<>(new Key(i), Pair.twice(new Key(i % 2))), 1, (a, b) -> leaf(a + b));
            }
            Check.here();
            sum += map.size() + map.toString().length() + (map.equals(Map.copyOf(map)) ? 1 : 0);
            sum += new TreeSet<>(List.of(new Pair<>(new Key(1), 1), new Pair<>(new Key(2), 2))).first().hashCode() & 7;
            try {
                new Key(-1);
            } catch (IllegalArgumentException e) {
                sum += leaf(2);
            }
            sum += choose(new Circle(2)) + choose(new Square(3)) + new Circle(1).area();
        }
        System.out.println(sum);
        Check.done("Records");
    }
}
