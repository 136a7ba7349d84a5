package shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Sessions that nothing ends. */
class Sessions {
    private static final Map<String, Session> OPEN = new ConcurrentHashMap<>();

    static boolean open(String visitor) {
        return OPEN.put(visitor, new Session()) == null;
    }

    private static class Session {
        final byte[] basket = new byte[16 * 1024];
    }
}
