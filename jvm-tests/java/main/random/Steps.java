package random;

import random.Troubles.Absent;
import random.Troubles.Trouble;
import random.Troubles.Unseen;

/** The way from one piece to the next. */
public final class Steps {
    /** The program whose classes are being initialised, by thread. */
    static final ThreadLocal<Tape> CURRENT = new ThreadLocal<>();

    /** Do several programs share the classes? Then no initialiser waits for another. */
    static boolean shared;

    /** Are classes redefined meanwhile? */
    private static final boolean SHIFTS = Boolean.getBoolean("random.shifts");

    private Steps() {}

    /** A random piece, or nothing at the end of the tape. */
    public static int step(Tape t) {
        if (!t.enter()) {
            return 1;
        }
        int depth = t.depth();
        int value = t.one(3) ? guarded(t) : pick(t);
        t.back(depth - 1);
        return value;
    }

    static int pick(Tape t) {
        if (SHIFTS && t.one(4)) {
            return Shifts.any(t);
        }
        switch (t.next(12)) {
            case 0:
            case 1:
                return Calls.any(t);
            case 2:
                return Throws.any(t);
            case 3:
                return Builds.any(t);
            case 4:
            case 5:
                return Callbacks.any(t);
            case 6:
                return Mirrors.any(t);
            case 7:
                return Starts.any(t);
            case 8:
                return Between.any(t);
            case 9:
                return Calls.any(t) + step(t);
            default:
                return step(t) + step(t);
        }
    }

    /** Catches what comes, in one of several ways. */
    private static int guarded(Tape t) {
        int depth = t.depth();
        try {
            return pick(t);
        } catch (Unseen e) {
            return 2;
        } catch (ArithmeticException | NullPointerException e) {
            t.back(depth);
            return t.seen(e.getMessage()) + step(t);
        } catch (Absent e) {
            t.back(depth);
            return step(t);
        } catch (Trouble e) {
            t.back(depth);
            return t.seen(e.getMessage());
        } catch (RuntimeException | LinkageError e) {
            t.back(depth);
            return t.seen(e.getClass().getName()) ^ step(t);
        } finally {
            t.back(depth);
            step(t);
        }
    }

    /** For static initialisers, which have no parameters. */
    public static int initial(int kind) {
        Tape t = CURRENT.get();
        return t == null || shared ? kind : held(t) + kind;
    }

    /** A step under a lock. */
    static int held(Tape t) {
        t.hold(1);
        try {
            return step(t);
        } finally {
            t.hold(-1);
        }
    }
}
