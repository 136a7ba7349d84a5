package hazards;

import org.lucce.Lucce;

/**
 * Two paths of frames that add up to one size, and one that no other path is like. Each of them has an event again and again.
 */
public final class Orders {
    private static int events;

    private Orders() {}

    public static void main(String[] arguments) {
        int times = arguments.length == 0 ? 20 : Integer.parseInt(arguments[0]);
        for (int time = 0; time < times; time++) {
            first(2);
            second(2);
            alone();
        }
        System.out.println(events);
    }

    private static void first(int left) {
        if (left == 0) {
            event();
        } else {
            second(left - 1);
        }
    }

    private static void second(int left) {
        if (left == 0) {
            event();
        } else {
            first(left - 1);
        }
    }

    private static void alone() {
        Lucce.event("alone", 1);
        events++;
    }

    private static void event() {
        Lucce.event("order", 1);
        events++;
    }
}
