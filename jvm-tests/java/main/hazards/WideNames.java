package hazards;

import hazards.plain.Wide;
import org.lucce.Lucce;

/** Names with characters beyond the BMP, which class files write as two surrogates: signatures, traces and kinds are told apart by them. */
public final class WideNames {
    private WideNames() {}

    /** Implemented by instrumented code first, by uninstrumented code later. */
    public interface Shape {
        /** Leaves something behind. */
        int m\uD835\uDCB3(int n);
    }

    /** Leaves what it has published behind, unless its signature is interposable. */
    static final class Instrumented implements Shape {
        @Override
        public int m\uD835\uDCB3(int n) {
            return leaf\uD835\uDCB3(n);
        }
    }

    /** Called by {@link Wide}, too. */
    public static int leaf\uD835\uDCB3(int n) {
        if (n > 10) {
            Check.here();
        }
        return n;
    }

    private static int first(Shape shape, int n) {
        return shape.m\uD835\uDCB3(n);
    }

    private static int second(Shape shape, int n) {
        return shape.m\uD835\uDCB3(n);
    }

    public static void main(String[] args) {
        Instrumented instrumented = new Instrumented();
        // Before anything uninstrumented has the signature.
        first(instrumented, 11);
        Shape wide = new Wide.Between(instrumented);
        for (int round = 0; round < 3; round++) {
            second(instrumented, 11);
            second(wide, 11);
            first(wide, 11);
        }
        int smile = Lucce.kind("smile \uD83D\uDE00");
        int grin = Lucce.kind("grin \uD83D\uDE01");
        int other = Lucce.kind("grin \uD83D\uDE02");
        // Without the agent all are 0.
        Check.equal(Lucce.active(), grin != other);
        Lucce.event(smile, 1);
        Lucce.event(grin, 2);
        captured\uD835\uDCB3(other);
        Check.done("WideNames");
    }

    private static void captured\uD835\uDCB3(int kind) {
        Lucce.event(kind, 3);
        StackTraceElement[] trace = Lucce.trace(Lucce.capture());
        if (trace.length > 0) {
            Check.equal(new Throwable().getStackTrace()[0].getMethodName(), trace[0].getMethodName());
        }
    }
}
