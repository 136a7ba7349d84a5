import java.util.function.IntUnaryOperator;
import org.lucce.HotContext;
import org.lucce.Lucce;

/** Says, while it works, which of its paths run most. */
public class Hottest {
    private static IntUnaryOperator rate = amount -> amount / 5;
    private static int sum;

    static void price(int order) {
        for (int item = 0; item < 9; item++) tax(item + order);
    }

    static void tax(int amount) {
        sum += rate.applyAsInt(amount);
    }

    public static void main(String[] arguments) {
        for (int order = 1; order <= 20_000; order++) {
            price(order);
            if (order % 10_000 == 0) report(order);
        }
    }

    static void report(int orders) {
        for (HotContext context : Lucce.hot(0.05)) {
            System.out.println(orders + " orders: " + context.trace()[0].getMethodName() + (context.isHot() ? " is hot" : " is perhaps hot"));
        }
    }
}
