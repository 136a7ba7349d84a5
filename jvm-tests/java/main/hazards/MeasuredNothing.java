package hazards;

import org.lucce.Lucce;
import org.lucce.Measurement;

/** Measures nothing at a place that has measured something, and prints how many objects that made. */
public final class MeasuredNothing {
    static volatile Object sink;

    private MeasuredNothing() {}

    private static Measurement measure(int times) {
        return Lucce.measure(() -> {
            for (int i = 0; i < times; i++) sink = new StringBuilder("some").append(i).toString();
        });
    }

    public static void main(String[] args) {
        // The JDK, which makes a string, has hooks, too.
        boolean counted = measure(3).allocations() > 3;
        for (int i = 0; i < 3; i++) System.out.println(counted + " " + measure(0).tallies());
    }
}
