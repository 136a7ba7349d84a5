package hazards;

import hazards.plain.Interposed;

/**
 * A static call that initialises its class while the initialiser, uninstrumented, comes by the same call again and then enters the
 * method by itself: the first look at site and method shows them side by side, and later looks are deceived.
 */
public final class StaticInterposer {
    private StaticInterposer() {}

    /** Initialised by the first call; its superclass's initialiser calls it too. */
    public static final class Below extends Interposed {
        /** Leaves its place behind. */
        public static void work(int n) {
            inner(n);
        }
    }

    private static void inner(int n) {
        Check.here();
    }

    private static void call(int n) {
        Below.work(n);
    }

    /** The same site from within the initialiser. */
    public static void again() {
        call(1);
        call(2);
    }

    /** Called by the initialiser: what it sees is at stake. */
    public static void seen() {
        Check.here();
    }

    public static void main(String[] args) {
        call(0);
        call(3);
        Check.done("StaticInterposer");
    }
}
