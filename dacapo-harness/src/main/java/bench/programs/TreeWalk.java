package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A tree of 200 000 nodes of three kinds, walked by virtual calls and by a visitor, a dozen times each. */
public final class TreeWalk implements Program {
    private static final int NODES = 200_000;
    private static final int ROUNDS = 12;

    private Node root;
    private Digest digest;

    interface Visitor {
        void leaf(Leaf leaf);

        void pair(Pair pair);

        void list(Many many);
    }

    abstract static class Node {
        abstract long sum();

        abstract int depth();

        abstract void accept(Visitor visitor);
    }

    static final class Leaf extends Node {
        final int value;

        Leaf(int value) {
            this.value = value;
        }

        @Override
        long sum() {
            return value;
        }

        @Override
        int depth() {
            return 1;
        }

        @Override
        void accept(Visitor visitor) {
            visitor.leaf(this);
        }
    }

    static final class Pair extends Node {
        final Node left, right;

        Pair(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        @Override
        long sum() {
            return left.sum() * 3 + right.sum();
        }

        @Override
        int depth() {
            return Math.max(left.depth(), right.depth()) + 1;
        }

        @Override
        void accept(Visitor visitor) {
            visitor.pair(this);
        }
    }

    static final class Many extends Node {
        final List<Node> nodes = new ArrayList<>();

        @Override
        long sum() {
            long sum = 0;
            for (Node node : nodes) sum = sum * 5 + node.sum();
            return sum;
        }

        @Override
        int depth() {
            int depth = 0;
            for (Node node : nodes) depth = Math.max(depth, node.depth());
            return depth + 1;
        }

        @Override
        void accept(Visitor visitor) {
            visitor.list(this);
        }
    }

    /** Counts leaves by their parity. */
    static final class Parities implements Visitor {
        private int even, odd;

        @Override
        public void leaf(Leaf leaf) {
            if (leaf.value % 2 == 0) even++; else odd++;
        }

        @Override
        public void pair(Pair pair) {
            pair.left.accept(this);
            pair.right.accept(this);
        }

        @Override
        public void list(Many many) {
            for (Node node : many.nodes) node.accept(this);
        }
    }

    @Override
    public void prepare(Place place) {
        root = grow(new SplittableRandom(29), NODES);
    }

    private static Node grow(SplittableRandom random, int nodes) {
        if (nodes <= 2) return new Leaf(random.nextInt(1000));
        if (random.nextInt(4) > 0) {
            int left = 1 + random.nextInt(nodes - 2);
            return new Pair(grow(random, left), grow(random, nodes - 1 - left));
        }
        Many many = new Many();
        for (int left = nodes - 1; left > 0; ) {
            int part = 1 + random.nextInt(left);
            many.nodes.add(grow(random, part));
            left -= part;
        }
        return many;
    }

    @Override
    public void iterate() {
        digest = new Digest();
        for (int i = 0; i < ROUNDS; i++) {
            Parities parities = new Parities();
            root.accept(parities);
            digest.add(root.sum()).add(root.depth()).add(parities.even).add(parities.odd);
        }
    }

    @Override
    public long validate() {
        return digest.value();
    }
}
