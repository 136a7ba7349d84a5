package hazards;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.lucce.Lucce;

/**
 * A map calls back two methods of a key in turn: the first asks for nothing, the second for a context. What the first leaves behind when it sleeps
 * is met by the second, which never has it on its stack.
 */
public final class Keys {
    /** May lead to any code, so that a call of it needs a hook. */
    private static final IntUnaryOperator MIX = n -> String.valueOf(n).length();

    private static long sum;

    private Keys() {}

    static final class Key {
        final int value;

        Key(int value) {
            this.value = value;
        }

        @Override
        public int hashCode() {
            return MIX.applyAsInt(value);
        }

        @Override
        public boolean equals(Object other) {
            sum += Lucce.capture();
            return other instanceof Key && ((Key) other).value == value;
        }

    }

    static int looked(Map<Key, Integer> map, int n) {
        return map.get(new Key(n)) + map.get(new Key(n));
    }

    /** Argument: rounds. */
    public static void main(String[] arguments) {
        Map<Key, Integer> map = new HashMap<>();
        for (int n = 0; n < 8; n++) {
            map.put(new Key(n), n);
        }
        int rounds = Integer.parseInt(arguments[0]);
        long found = 0;
        for (int n = 0; n < rounds; n++) {
            found += looked(map, n % 8);
        }
        System.out.println(found + " " + (!Lucce.active() || sum > 0));
    }
}
