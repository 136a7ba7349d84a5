package hazards;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Constructors with statements before {@code super(...)} and {@code this(...)}: loops, handlers, monitors, lambdas, local classes, and stores into the
 * object's own fields (Java 25). All of it runs while {@code this} is uninitialised.
 */
public final class EarlyStatements {
    private static final Object LOCK = new Object();

    private EarlyStatements() {}

    static int leaf(int n) {
        Check.here();
        return n * 31 + 5 & 7;
    }

    static int mayThrow(int n) {
        if (n % 3 == 0) throw new IllegalStateException("n" + n);
        return leaf(n);
    }

    static int caught(Throwable thrown) {
        return leaf(thrown.getMessage().length());
    }

    static <T> T pass(T value) {
        leaf(1);
        return value;
    }

    static class Base {
        final int given;

        Base(int n) {
            given = n;
            leaf(n);
            hook();
            if (n % 5 == 4) throw new IllegalArgumentException("base " + n);
        }

        Base(Object key) {
            int hash = key.hashCode();
            while (hash > 3) hash -= 1 + leaf(hash);
            this(hash);
            leaf(9);
        }

        void hook() {
            leaf(2);
        }
    }

    static class Stored extends Base {
        final int sum;
        final String text;

        Stored(int n) {
            if (n < 0) throw new IllegalArgumentException("negative " + leaf(n));
            int s = 0;
            for (int i = 0; i < n; i++) s += leaf(i);
            sum = s;
            try {
                s += mayThrow(n);
            } catch (IllegalStateException e) {
                s += caught(e);
            } finally {
                s += leaf(3);
            }
            Supplier<String> later = () -> "l" + leaf(5);
            String made = later.get();
            synchronized (LOCK) {
                s += leaf(6);
            }
            text = made + s;
            super(s);
            leaf(7);
            if (n % 4 == 1) throw new IllegalArgumentException("late");
            try {
                mayThrow(n + 1);
            } catch (IllegalStateException e) {
                caught(e);
            }
        }

        @Override
        void hook() {
            leaf(sum + text.length());
        }
    }

    static class Chosen extends Stored {
        final long way;
        final Object[] parts;

        Chosen(int n, boolean first) {
            long chosen;
            Object seen = null;
            switch (n % 4) {
                case 0 -> chosen = leaf(1);
                case 1 -> {
                    try {
                        chosen = mayThrow(n);
                    } catch (RuntimeException e) {
                        chosen = caught(e);
                        seen = e;
                    }
                }
                case 2 -> chosen = new Stored(n / 2).sum;
                default -> chosen = pass(7L);
            }
            way = chosen;
            parts = new Object[] {seen, chosen, first ? pass("p") : new int[] {leaf(1)}};
            while (chosen > 0) {
                chosen -= 1 + leaf((int) chosen);
                if (chosen == 3) continue;
                leaf(8);
            }
            super(n + (first ? leaf(2) : 0));
            leaf((int) way);
        }

        Chosen(List<?> list) {
            int n = 0;
            for (Object element : list) {
                n += leaf(element.hashCode() & 3);
                try {
                    n += mayThrow(n);
                } catch (IllegalStateException e) {
                    n++;
                    break;
                }
            }
            this(n % 10, list.isEmpty());
            leaf(list.size());
        }

        @Override
        void hook() {
            super.hook();
            leaf(parts.length);
        }
    }

    final class Inner extends Stored {
        final int got;

        Inner(int n) {
            class Local {
                final int value = leaf(n);

                int get() {
                    return value + own(n);
                }
            }
            int value = new Local().get();
            got = value;
            super(value % 11);
            leaf(got);
        }
    }

    int own(int n) {
        return leaf(n) + 1;
    }

    record Pair(int first, String second) {
        Pair(int n) {
            String text = "s" + leaf(n);
            int number;
            try {
                number = mayThrow(n);
            } catch (RuntimeException e) {
                number = caught(e);
            }
            this(number, text);
            leaf(4);
        }

        Pair {
            leaf(first);
            if (first == 5) throw new IllegalArgumentException("five");
        }
    }

    static final class Numbers extends ArrayList<Integer> {
        private static final long serialVersionUID = 1L;

        Numbers(int n) {
            int size = 1;
            do size += leaf(size) + 1; while (size < n);
            super(size);
            leaf(size);
        }

        @Override
        public int hashCode() {
            return leaf(size());
        }
    }

    /** What a construction comes to: a result, or the message of what it throws. */
    private static String of(Supplier<Object> construction) {
        try {
            return "" + construction.get();
        } catch (RuntimeException e) {
            return e.getMessage() + caught(e);
        }
    }

    static String all(int n) {
        return String.join(" ",
            of(() -> new Stored(n % 9).text),
            of(() -> new Stored(-n).text),
            of(() -> new Chosen(n % 13, n % 2 == 0).way),
            of(() -> new Chosen(List.of(n, n + 1, "z")).sum),
            of(() -> new EarlyStatements().new Inner(n).got),
            of(() -> new Pair(n)),
            of(() -> new Base(new Numbers(n)).given));
    }

    public static void main(String[] args) throws Exception {
        for (int n = 0; n < 60; n++) System.out.println(all(n));
        Thread thread = new Thread(() -> System.out.println(all(7)));
        thread.start();
        thread.join();
        Check.done("EarlyStatements");
    }
}
