package hazards;

import java.util.List;
import java.util.function.IntUnaryOperator;
import org.lucce.HotContext;
import org.lucce.Lucce;

/** Asks, while it runs, which of its paths run most: first one does, then another. Prints the answers, none without the agent. */
public final class HotNow {
    /** May be anything, so what calls it has hooks; the other methods are left without them. */
    private static IntUnaryOperator step = Math::abs;
    private static int sum;

    private HotNow() {}

    static void first(int n) {
        inner(n);
        inner(n + 1);
    }

    static void inner(int n) {
        sum += n;
    }

    static void second(int n) {
        sum ^= step.applyAsInt(n);
    }

    /** Those with this share; what must hold of each is checked here. */
    static void ask(double share) {
        List<HotContext> all = Lucce.hot(share);
        long before = Long.MAX_VALUE;
        for (HotContext context : all) {
            boolean inOrder = context.samples() <= before && context.samples() <= context.mostSamples();
            boolean bounded = 0 <= context.low() && context.low() <= context.high() && context.high() <= 1;
            if (!inOrder || !bounded || context.high() < share) throw new AssertionError(context.toString());
            if (context.isHot() != (context.low() >= share)) throw new AssertionError(context.toString());
            before = context.samples();
            StringBuilder frames = new StringBuilder();
            for (StackTraceElement frame : context.trace()) frames.append(' ').append(frame.getMethodName()).append(':').append(frame.getLineNumber());
            System.out.println((context.isHot() ? "hot" : "perhaps") + " " + context.samples() + frames);
        }
        try {
            all.add(null);
            throw new AssertionError("it can be changed");
        } catch (UnsupportedOperationException e) {
            System.out.println("asked");
        }
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 10_000; i++) first(i);
        ask(0.3);
        for (int i = 0; i < 90_000; i++) second(i);
        ask(0.3);
        if (Lucce.hot(2).size() != Lucce.hot().size()) throw new AssertionError("no share is that of the options");
    }
}
