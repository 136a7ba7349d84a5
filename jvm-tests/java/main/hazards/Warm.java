package hazards;

import hazards.plain.Asm;
import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.lucce.Lucce;

/**
 * A program that warms up and then goes on without new code, on three threads. After 1, 10, 100, 1000, 1000, 1000, 2000 and 2000 times as many rounds
 * as its argument says it stops for an event, and prints the size of the log before and after it.
 */
public final class Warm {
    private static final int BITS = 4;
    private static final int PLACES = 1 << BITS;
    private static final int LAYERS = 7;
    static volatile long sink;
    private static long random;
    private static IntUnaryOperator paths;

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
        sink += Lucce.capture() + Lucce.context() + nested(12);
        for (int i = 0; i < 20; i++) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            sink += paths.applyAsInt((int) (random >>> 33));
        }
    }

    /** Captures at each level of a recursion, whose calls go through an edge that is cut: contexts known by new activations. */
    static long nested(int n) {
        long captured = Lucce.capture();
        return n == 0 ? captured : captured + nested(n - 1);
    }

    /** The last of each path. */
    public static int leaf(int path) {
        return path + (int) Lucce.context();
    }

    /**
     * A static method for each layer and place: it calls one of the next layer, each at a site of its own. So there are {@code PLACES} to the power
     * of {@code LAYERS} paths, and those taken so far say little of those to come.
     */
    static Class<?> layers() {
        Asm asm = new Asm(49, "warm/Layers", "java/lang/Object");
        String[] cases = IntStream.rangeClosed(0, PLACES).mapToObj(next -> "" + next % PLACES).toArray(String[]::new);
        for (int layer = 0; layer < LAYERS; layer++) {
            for (int place = 0; place < PLACES; place++) {
                // iload_0; push; iand; tableswitch; then for each: iload_0; push; iushr; call; ireturn
                Asm.Code code = asm.code().op(26).push(PLACES - 1).op(126).tableswitch(cases);
                for (int next = 0; next < PLACES; next++) {
                    code.label("" + next).op(26).push(BITS).op(124);
                    if (layer == LAYERS - 1) {
                        code.call("hazards/Warm", "leaf", "(I)I");
                    } else {
                        code.call("warm/Layers", name(layer + 1, next), "(I)I");
                    }
                    code.op(172);
                }
                code.end(Asm.PUBLIC | Asm.STATIC, name(layer, place), "(I)I", 2, 1);
            }
        }
        return Bytes.load(asm);
    }

    private static String name(int layer, int place) {
        return "layer" + layer + "at" + place;
    }

    static int key(int n) {
        return n % 1000;
    }

    static void rounds(int n, ExecutorService pool) throws Exception {
        for (int i = 0; i < n; i++) {
            round();
            if (i % 8 == 0) {
                pool.submit(Warm::round).get();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        File log = new File(args[0]);
        int unit = Integer.parseInt(args[1]);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        MethodHandle first = MethodHandles.lookup().findStatic(layers(), name(0, 0), MethodType.methodType(int.class, int.class));
        paths = MethodHandleProxies.asInterfaceInstance(IntUnaryOperator.class, first);
        int done = 0;
        // 10, 100 and 1000 units; what a stop costs by itself; and as much again.
        for (int goal : new int[] {1, 10, 100, 1000, 1000, 1000, 2000, 2000}) {
            rounds(goal * unit - done, pool);
            done = goal * unit;
            Thread.sleep(600);
            long before = log.length();
            Lucce.event("stop", goal);
            Thread.sleep(600);
            System.out.println(before + " " + log.length());
        }
        pool.shutdown();
    }
}
