package hazards;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.lucce.Lucce;

/**
 * A loop of the JDK's that goes on for long, begun while its caller slept, calls back what now and then asks for a context. No walk can wake the
 * caller's activation, so each call back would be walked for if what is called back were woken.
 */
public final class JdkLoops {
    /** May lead to any code, so that a call of it needs a hook. */
    private static final IntUnaryOperator MIX = n -> String.valueOf(n).length();

    private static long sum;

    private JdkLoops() {}

    static int work(int n) {
        return MIX.applyAsInt(n);
    }

    static void round(int n) {
        sum += work(n);
        if (n % 100 == 0) {
            sum += Lucce.capture();
        }
        if (n % 50_000 == 0) {
            Check.here();
        }
    }

    /** Argument: rounds. */
    public static void main(String[] arguments) {
        IntStream.range(0, Integer.parseInt(arguments[0])).forEach(JdkLoops::round);
        Check.equal(true, sum > 0);
        Check.done("JdkLoops");
    }
}
