package hazards;

import org.lucce.Lucce;

/**
 * Another agent, behind Lucce, inserts {@code Lucce.context()} and {@code Lucce.site()} at the start of the methods of {@link Changed}: what they
 * give decodes to the frames from the nearest method that it has not changed.
 */
public final class Asked {
    private static int asked;

    private Asked() {}

    /** What the other agent's insertions call with what they got. */
    public static void asked(long context, int site) {
        asked++;
        StackTraceElement[] real = new Throwable().getStackTrace();
        int first = 1;
        while (real[first].getClassName().equals("hazards.Asked$Changed")) first++;
        StackTraceElement[] found = Lucce.trace(context, site);
        Check.equal(Lucce.active() ? real.length - first : 0, found.length);
        for (int i = 0; i < found.length; i++) Check.equal(text(real[first + i]), text(found[i]));
    }

    private static String text(StackTraceElement frame) {
        return frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber();
    }

    static final class Changed {
        /** Has hooks: it calls. */
        static int calls(int n) {
            return leaf(n) + quiet(n) + leaf(n + 1);
        }

        /** Has none. */
        static int quiet(int n) {
            return n * 3;
        }
    }

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    static int outer(int n) {
        int sum = leaf(n);
        sum += Changed.calls(n);
        sum += leaf(n);
        sum += Changed.quiet(n);
        return sum;
    }

    public static void main(String[] args) {
        Check.changed = (type, method) -> type.equals("hazards.Asked$Changed");
        int sum = 0;
        for (int round = 0; round < 50; round++) {
            sum += outer(round);
            if (round % 7 == 3) sum += Changed.calls(round);
        }
        System.out.println(sum + " " + asked);
        Check.done("Asked");
    }
}
