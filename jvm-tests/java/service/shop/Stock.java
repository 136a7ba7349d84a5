package shop;

import java.util.HashMap;
import java.util.Map;

/** What is in stock, behind one lock. */
class Stock {
    private final Map<String, Integer> items = new HashMap<>();

    synchronized int take(String item) {
        return items.merge(item, -1, Integer::sum);
    }

    /** Holds the lock far too long. */
    synchronized int count() throws InterruptedException {
        Thread.sleep(20);
        return items.size();
    }
}
