package hazards;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A program that warms up and then goes on without new code: it prints the size of the log after each of its last rounds. */
public final class Warm {
    static long sink;

    private Warm() {}

    interface Node {
        int eval(int n);
    }

    static final class Leaf implements Node {
        @Override
        public int eval(int n) {
            return n ^ 5;
        }
    }

    static final class Add implements Node {
        private final Node left;
        private final Node right;

        Add(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        @Override
        public int eval(int n) {
            return left.eval(n) + right.eval(n + 1);
        }
    }

    static final class Guarded implements Node {
        private final Node inner;

        Guarded(Node inner) {
            this.inner = inner;
        }

        @Override
        public int eval(int n) {
            try {
                if (n % 9 == 4) {
                    throw new IllegalStateException();
                }
                return inner.eval(n);
            } catch (IllegalStateException e) {
                return new Leaf().eval(n);
            }
        }
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static Node tree(int depth) {
        return depth == 0 ? new Leaf() : depth % 2 == 0 ? new Add(tree(depth - 1), tree(depth - 1)) : new Guarded(new Add(tree(depth - 1), new Leaf()));
    }

    static void round() {
        sink += fib(16);
        Node tree = tree(8);
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            list.add(tree.eval(i));
        }
        list.sort(Collections.reverseOrder((a, b) -> Integer.compare(key(a), key(b))));
        list.forEach(n -> sink += key(n));
        sink += list.stream().mapToInt(n -> key(n)).sum() + list.toString().length();
    }

    static int key(int n) {
        return n % 1000;
    }

    public static void main(String[] args) throws Exception {
        File log = new File(args[0]);
        int rounds = Integer.parseInt(args[1]);
        for (int i = 0; i < rounds; i++) {
            round();
        }
        // The writer is given the time to write what the warm-up left.
        Thread.sleep(2500);
        StringBuilder sizes = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < rounds / 5; j++) {
                round();
            }
            Thread.sleep(1200);
            sizes.append(log.length()).append(' ');
        }
        System.out.println(sizes.toString().trim());
    }
}
