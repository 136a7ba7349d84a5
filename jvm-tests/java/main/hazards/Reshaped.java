package hazards;

import agents.Inserter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Classes that another agent changes behind Lucce, when they are loaded and again later: calls inserted at entries, exits and in the middle, methods
 * moved under another name. Frames of changed methods count as uninstrumented; all others must be exact.
 */
public final class Reshaped {
    private static int insertions;

    private Reshaped() {}

    /** What the other agent's insertions call. */
    public static void inserted() {
        insertions++;
        Check.here();
    }

    /** Calls, callbacks, recursion and exceptions. */
    static class Changed implements IntUnaryOperator {
        private final int start;

        Changed(int start) {
            this.start = start;
            Check.here();
        }

        static int mid(int n) {
            return leaf(n) + leaf(n + 1);
        }

        static int top(int n) {
            int sum = mid(n);
            sum += leaf(sum);
            return sum + mid(n);
        }

        static int recurse(int n) {
            return n == 0 ? mid(n) : recurse(n - 1) + leaf(n);
        }

        static int failing(int n) {
            leaf(n);
            if (n % 2 == 0) {
                throw new IllegalStateException(String.valueOf(top(n)));
            }
            return mid(n);
        }

        /** Calls nothing of the program, so nothing is published before its own class calls it: until another agent puts a call into it. */
        private static int quiet(int n) {
            return Math.max(n, 2) * 2;
        }

        static int around(int n) {
            int sum = leaf(n);
            sum += quiet(sum);
            sum += leaf(sum);
            sum += quiet(sum);
            return sum;
        }

        @Override
        public int applyAsInt(int n) {
            return leaf(n) + start;
        }

        static int sorted(int n) {
            List<Integer> list = new ArrayList<>(Arrays.asList(n, 3, 2, 1));
            list.sort((a, b) -> Integer.compare(leaf(a), leaf(b)));
            return list.get(0);
        }
    }

    /** Not changed, but for what it inherits. */
    static final class Kept extends Changed {
        Kept(int start) {
            super(mid(start));
            leaf(start);
        }

        @Override
        public int applyAsInt(int n) {
            return super.applyAsInt(n) + leaf(n);
        }
    }

    interface Handler {
        int handle(int n);
    }

    /** Calls what its caller's call site is known to call, too. */
    static final class ChangedDecorator implements Handler {
        private final Handler inner = new Inner();

        @Override
        public int handle(int n) {
            return leaf(n) + inner.handle(n) + now(n, true);
        }
    }

    static final class Inner implements Handler {
        @Override
        public int handle(int n) {
            return now(n, n == 2);
        }
    }

    /** Where it does not ask, its caller's call is the last that was published. */
    static int now(int n, boolean asks) {
        if (asks) Check.here();
        return n + 2;
    }

    static int handled(Handler handler, int n) {
        return handler.handle(n);
    }

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    static int around(int n) {
        int sum = Changed.top(n) + Changed.recurse(4) + Changed.sorted(n);
        for (int i = 0; i < 3; i++) {
            try {
                sum += Changed.failing(i);
            } catch (IllegalStateException e) {
                sum += leaf(e.getMessage().length());
            }
        }
        List<IntUnaryOperator> all = Arrays.asList(new Changed(n), new Kept(n), k -> leaf(k));
        for (IntUnaryOperator one : all) {
            sum += one.applyAsInt(n) + leaf(sum);
        }
        for (Handler handler : new Handler[] {new Inner(), new ChangedDecorator()}) {
            sum += handled(handler, n);
        }
        return sum + Changed.mid(n) + Changed.around(n);
    }

    public static void main(String[] args) throws Exception {
        Check.changed = Inserter::changed;
        boolean wrapped = Arrays.stream(Changed.class.getDeclaredMethods()).anyMatch(method -> method.getName().contains("$moved"));
        // A class keeps the methods with which it was loaded.
        String[] modes = wrapped ? new String[] {"", "wrap"} : new String[] {"", "none", "quiet", "enter", "middle", "none", "enter"};
        for (String mode : modes) {
            if (!mode.isEmpty()) {
                Inserter.apply(mode, Changed.class);
            }
            for (int round = 0; round < 6; round++) {
                System.out.println(mode + " " + around(round % 4) + " " + insertions);
            }
        }
        Check.done("Reshaped");
    }
}
