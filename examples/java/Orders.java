import java.util.ArrayList;
import java.util.List;
import org.lucce.Lucce;

/** Keeps one number with each order that waits, and says later where those came from that were never served. */
public class Orders {
    private static final List<Long> WAITING = new ArrayList<>();

    static void place(String what) {
        WAITING.add(Lucce.capture()); // one long, the same for the same context
        Lucce.event("order", what.length()); // and in the log, with the same context
    }

    static void fromShop() {
        place("tea");
    }

    static void fromPhone() {
        place("coffee");
    }

    public static void main(String[] arguments) {
        fromShop();
        fromPhone();
        for (long context : WAITING) {
            System.out.println("waiting since:");
            for (StackTraceElement frame : Lucce.trace(context)) System.out.println("  " + frame);
        }
    }
}
