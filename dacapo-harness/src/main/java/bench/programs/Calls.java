package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.util.function.LongUnaryOperator;

/** Little but calls: static, virtual of five classes, through an interface, of lambdas, constructors; a dozen calls in each of four million rounds. */
public final class Calls implements Program {
    private static final int ROUNDS = 4_000_000;

    private Shape[] shapes;
    private LongUnaryOperator[] steps;
    private long result;

    abstract static class Shape {
        final long size;

        Shape(long size) {
            this.size = size;
        }

        abstract long area(long scale);

        long twice(long scale) {
            return grown(scale).area(scale) + area(scale + 1);
        }

        abstract Shape grown(long by);
    }

    static final class Square extends Shape {
        Square(long size) {
            super(size);
        }

        @Override
        long area(long scale) {
            return Calls.times(size, scale) + Calls.times(scale, scale);
        }

        @Override
        Shape grown(long by) {
            return new Square(Calls.times(size, 3) + by & 0xff);
        }
    }

    static final class Strip extends Shape {
        Strip(long size) {
            super(size);
        }

        @Override
        long area(long scale) {
            return Calls.times(size, 2 * scale + 1);
        }

        @Override
        Shape grown(long by) {
            return new Square(Calls.times(by, 5) & 0x7f);
        }
    }

    static final class Pair extends Shape {
        private final Shape left, right;

        Pair(Shape left, Shape right) {
            super(Calls.times(left.size, 2) + right.size);
            this.left = left;
            this.right = right;
        }

        @Override
        long area(long scale) {
            return left.area(scale) ^ right.area(size & 31);
        }

        @Override
        Shape grown(long by) {
            return new Pair(right.grown(by), left);
        }
    }

    static long times(long a, long b) {
        return mixed(a * b, a);
    }

    private static long mixed(long a, long b) {
        return (a ^ b >>> 3) + 1;
    }

    @Override
    public void prepare(Place place) {
        shapes = new Shape[] {
            new Square(3), new Strip(4), new Pair(new Square(5), new Strip(6)), new Strip(7), new Pair(new Strip(8), new Square(9)),
        };
        steps = new LongUnaryOperator[] {x -> times(x, 3), x -> mixed(x, 5) * 7, x -> x ^ times(x, x)};
    }

    @Override
    public void iterate() {
        result = work(ROUNDS);
    }

    /** That many rounds of it, a dozen calls each. */
    long work(int rounds) {
        long sum = 1;
        for (int i = 0; i < rounds; i++) {
            sum = mixed(sum, steps[i % 3].applyAsLong(shapes[i % 5].twice(sum & 15)));
        }
        return sum;
    }

    @Override
    public long validate() {
        return new Digest().add(result).value();
    }
}
