package hazards;

import java.io.IOException;
import java.util.function.IntUnaryOperator;

/**
 * A recursion that branches, so that it has more contexts than memory would hold: each way from the root to a leaf is one. Prints a sum, and what the
 * process holds at the end, in KiB. Arguments: how deep, and how often.
 */
public final class Branches {
    private static final int DEPTH = 20;
    private static final int ROUNDS = 4;
    /** May be anything, so what calls it has hooks. */
    private static IntUnaryOperator leaf = Math::abs;

    private Branches() {}

    static int visit(int left) {
        if (left == 0) return leaf.applyAsInt(1);
        int sum = visit(left - 1);
        return sum + visit(left - 1);
    }

    public static void main(String[] arguments) throws IOException {
        int depth = arguments.length > 0 ? Integer.parseInt(arguments[0]) : DEPTH;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : ROUNDS;
        int sum = 0;
        for (int round = 0; round < rounds; round++) sum += visit(depth);
        System.out.println("sum " + sum);
        System.out.println("anonymous " + Unloading.anonymous());
    }
}
