package random;

import random.Troubles.Absent;
import random.Troubles.Checked;
import random.Troubles.Closing;
import random.Troubles.Trouble;

/** Exceptions: thrown, implicit, out of finally and close, through handlers that never fit. */
final class Throws {
    private Throws() {}

    static int any(Tape t) {
        switch (t.next(12)) {
            case 0:
                throw new Trouble(t);
            case 1:
                throw new Absent(t);
            case 2:
                return divide(Steps.step(t), t.next(2));
            case 3:
                return new int[2][t.next(3)][t.next(3)] == null ? 0 : element(t, t.next(4));
            case 4:
                return nothing(t.one(2) ? null : "text", t);
            case 5:
                return cast(t.one(2) ? (Object) "text" : (Object) 7, t);
            case 6:
                return closing(t);
            case 7:
                return last(t);
            case 8:
                return nested(t);
            case 9:
                return sneaky(t);
            case 10:
                return locked(t);
            default:
                return retry(t);
        }
    }

    static int divide(int a, int b) {
        Calls.leaf(a);
        return a / b;
    }

    static int element(Tape t, int i) {
        int[] array = new int[3];
        array[i] = Steps.step(t);
        return array[i];
    }

    static int nothing(String s, Tape t) {
        int n = Steps.step(t);
        return s.length() + n;
    }

    static int cast(Object o, Tape t) {
        Steps.step(t);
        return ((String) o).length();
    }

    static int closing(Tape t) {
        int depth = t.depth();
        try (Closing one = new Closing(t);
                Closing other = new Closing(t)) {
            return Steps.step(t);
        } catch (Checked e) {
            t.back(depth);
            return t.seen(e.getMessage() + e.getSuppressed().length);
        }
    }

    @SuppressWarnings("finally")
    static int last(Tape t) {
        int depth = t.depth();
        try {
            return Throws.any(t);
        } finally {
            t.back(depth);
            if (t.one(2)) {
                return Steps.step(t);
            }
            Steps.step(t);
        }
    }

    static int nested(Tape t) {
        int depth = t.depth();
        try {
            try {
                return Steps.step(t) + divide(1, t.next(2));
            } catch (NullPointerException | Trouble e) {
                t.back(depth);
                throw new IllegalArgumentException(e.getMessage(), e);
            } finally {
                Steps.step(t);
            }
        } catch (ArithmeticException e) {
            t.back(depth);
            return t.seen(e.getMessage());
        } catch (IllegalArgumentException e) {
            t.back(depth);
            return Steps.step(t);
        }
    }

    static int sneaky(Tape t) {
        int depth = t.depth();
        try {
            Throws.<RuntimeException>hurl(new Checked(Steps.step(t)));
            return 0;
        } catch (Exception e) {
            t.back(depth);
            return t.seen(e.getMessage()) + Steps.step(t);
        }
    }

    @SuppressWarnings("unchecked")
    static <E extends Throwable> void hurl(Throwable e) throws E {
        throw (E) e;
    }

    static int locked(Tape t) {
        Object lock = new Object();
        synchronized (lock) {
            int n = Steps.step(t);
            synchronized (t.one(3) ? t : lock) {
                return n + divide(n, t.next(3));
            }
        }
    }

    static int retry(Tape t) {
        int depth = t.depth();
        for (int i = 0; ; i++) {
            try {
                return divide(Steps.step(t), i - 1 == 0 ? 0 : t.next(2));
            } catch (ArithmeticException e) {
                t.back(depth);
                if (i > 2) {
                    throw e;
                }
            }
        }
    }
}
