package leaks;

import java.util.ArrayList;
import java.util.List;

/** Views that register with a bus for each request and never deregister. */
public final class Listeners extends Service {
    interface Listener {
        void changed(int price);
    }

    static final class Bus {
        private final List<Listener> listeners = new ArrayList<>();

        void register(Listener listener) {
            listeners.add(listener);
        }

        void publish(int price) {
            // The last ones are enough for a test.
            for (int i = Math.max(0, listeners.size() - 10); i < listeners.size(); i++) listeners.get(i).changed(price);
        }
    }

    static final class View implements Listener {
        private final int[] prices = new int[64];
        private int count;

        @Override
        public void changed(int price) {
            prices[count++ % prices.length] = price;
        }
    }

    private final Bus bus = new Bus();

    private View open() {
        View view = new View();
        bus.register(view);
        return view;
    }

    @Override
    void handle(int request) {
        if (request % 2 == 0) open();
        bus.publish(request);
    }

    public static void main(String[] args) throws Exception {
        new Listeners().run();
    }
}
