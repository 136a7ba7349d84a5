package hazards;

import java.util.function.IntConsumer;

/** A method that another agent adds to a class overrides one with hooks, whose call sites were met before. */
public class Overridden {
    private static volatile int sum;
    private static final IntConsumer ADDED = n -> sum += n;

    static class Base {
        int step(int n) {
            return depth(n % 4);
        }
    }

    /** The other agent gives it a {@code step}. */
    static final class Adding extends Base {}

    private Overridden() {}

    public static void main(String[] arguments) {
        int all = 0;
        Base base = new Base();
        for (int n = 0; n < 100; n++) all += call(base, n);
        Base adding = new Adding();
        for (int n = 0; n < 200; n++) all += call(adding, n) + call(base, n);
        System.out.println(all);
    }

    private static int call(Base one, int n) {
        return one.step(n);
    }

    static int depth(int n) {
        ADDED.accept(n);
        return n == 0 ? 0 : 1 + depth(n - 1);
    }
}
