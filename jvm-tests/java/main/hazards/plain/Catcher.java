package hazards.plain;

import hazards.Debugged;

/** Code without hooks that catches whatever leaves the program's, and calls the program again. */
public final class Catcher {
    private Catcher() {}

    public static void calls(int n) {
        try {
            Debugged.left(n);
        } catch (Error e) {
            // It was thrown there, or it struck.
        }
        Debugged.told(n);
    }

    /** Calls at first what {@link #calls} calls in the end, and nothing later: what was published for it stays. */
    public static int tells(int n) {
        return n < 2 ? Debugged.told(n) : n;
    }
}
