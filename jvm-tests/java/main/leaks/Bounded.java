package leaks;

import java.util.LinkedHashMap;
import java.util.Map;

/** No leak: a cache that evicts what was used least recently, with new keys all the time. It is full before old collections are many. */
public final class Bounded extends Service {
    private final Map<Integer, byte[]> cache = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
            return size() > 300;
        }
    };

    private static byte[] page(int key) {
        byte[] page = new byte[2048];
        page[0] = (byte) key;
        return page;
    }

    @Override
    void handle(int request) {
        cache.computeIfAbsent(request, Bounded::page);
    }

    public static void main(String[] args) throws Exception {
        new Bounded().run();
    }
}
