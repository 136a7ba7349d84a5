package org.lucce;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Who is told of which events.
 *
 * <p><b>Invariant.</b> The tables are never changed, only replaced (that of names is added to); a
 * thread that is telling somebody tells nobody else meanwhile.
 */
final class Listeners {
    private static final Lucce.Listener[] NONE = {};
    /**
     * How many kinds have names of their own; the number behind stands for all others. As in the
     * agent.
     */
    private static final int MOST = 1 << 16;
    private static final String OTHERS = "(other kinds)";
    /** Is the thread telling somebody? */
    private static final ThreadLocal<boolean[]> TELLING = new ThreadLocal<>();

    private static volatile Map<String, Lucce.Listener[]> all = new HashMap<>();
    /** Names by the numbers of kinds. */
    private static volatile String[] names = {};
    private static volatile boolean any;
    /** Numbers of kinds by their names, where the agent gives none. */
    private static final Map<String, Integer> NUMBERS = new HashMap<>();

    private Listeners() {}

    /** Initialises the class. */
    static void ready() {}

    static boolean any() {
        return any;
    }

    static synchronized void name(int kind, String name) {
        String[] names = Listeners.names;
        if (kind <= 0 || kind < names.length && names[kind] != null) return;
        if (kind >= names.length) names = Arrays.copyOf(names, Math.max(2 * names.length, kind + 1));
        names[kind] = kind > MOST ? OTHERS : name;
        // Also where the table is the same: whoever reads it behind this sees the name.
        Listeners.names = names;
    }

    /** A number for a kind, where the agent knows kinds by their names alone. */
    static synchronized int number(String name) {
        Integer known = NUMBERS.get(name);
        if (known != null) return known;
        int number = Math.min(NUMBERS.size(), MOST) + 1;
        if (number <= MOST) NUMBERS.put(name, number);
        name(number, name);
        return number;
    }

    /** The name of a kind; null if that is no number of a kind. */
    static String name(int kind) {
        String[] names = Listeners.names;
        return kind < names.length ? names[kind] : null;
    }

    static synchronized void add(String kind, Lucce.Listener listener) {
        Lucce.Listener[] before = all.getOrDefault(kind, NONE);
        Lucce.Listener[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = listener;
        replace(kind, after);
    }

    static synchronized void remove(String kind, Lucce.Listener listener) {
        Lucce.Listener[] before = all.getOrDefault(kind, NONE);
        int at = Arrays.asList(before).indexOf(listener);
        if (at < 0) return;
        Lucce.Listener[] after = Arrays.copyOf(before, before.length - 1);
        System.arraycopy(before, at + 1, after, at, after.length - at);
        replace(kind, after);
    }

    private static void replace(String kind, Lucce.Listener[] listeners) {
        Map<String, Lucce.Listener[]> next = new HashMap<>(all);
        if (listeners.length == 0) next.remove(kind);
        else next.put(kind, listeners);
        all = next;
        any = !next.isEmpty();
    }

    static void tell(String kind, long value, long captured) {
        Lucce.Listener[] listeners = all.get(kind);
        if (listeners == null) return;
        boolean[] telling = TELLING.get();
        if (telling == null) TELLING.set(telling = new boolean[1]);
        if (telling[0]) return;
        telling[0] = true;
        try {
            for (Lucce.Listener listener : listeners) {
                try {
                    listener.event(kind, value, captured);
                } catch (Throwable e) {
                    // Its own affair; the next one and the application are not troubled.
                }
            }
        } finally {
            // A store: a call may fail for want of stack, and the thread would tell nobody any
            // more.
            telling[0] = false;
        }
    }
}
