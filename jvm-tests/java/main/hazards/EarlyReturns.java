package hazards;

import hazards.plain.Asm;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Methods that return, throw or loop before they call anything, so that they are entered late; and calls into the JDK that lead to no code
 * of the program, before which nothing is published. Whatever way they took, the next call's context must be right.
 */
public final class EarlyReturns {
    private final int[] cells = new int[8];
    private final Map<String, Integer> known = new HashMap<>();
    private static final AtomicLong COUNT = new AtomicLong();

    private EarlyReturns() {
        super();
    }

    /** Constructors that call nothing but {@code Object.<init>}, and one that goes on. */
    static class Point {
        final int x;

        Point(int x) {
            this.x = Math.max(x, -x);
        }
    }

    static final class Deep extends Point {
        final List<Integer> list;

        Deep(int x) {
            super(x);
            list = new ArrayList<>(4);
            if (x > 2) {
                Check.here();
            }
        }
    }

    int cell(int at) {
        if (at < cells.length) {
            return cells[at];
        }
        Check.here();
        throw new IndexOutOfBoundsException("cell " + at);
    }

    static int choose(int how, long wide, double d) {
        long kept = wide + 1;
        switch (how) {
            case 0:
                return (int) kept;
            case 1:
                return seen(how, kept);
            case 2: {
                double local = d * 2;
                return seen((int) local, kept);
            }
            case 3:
                throw new IllegalArgumentException(String.valueOf(how));
            default:
                return -1;
        }
    }

    static int seen(int how, long kept) {
        Check.here();
        return how + (int) kept;
    }

    static int loops(int[] all) {
        int sum = 0;
        for (int one : all) {
            if (one < 0) {
                return sum;
            }
            if (one > 5) {
                sum += seen(one, 1);
            }
        }
        return sum;
    }

    static int handled(Object o) {
        int length = 0;
        try {
            length = o.toString().length();
        } catch (NullPointerException e) {
            Check.here();
            return -1;
        }
        return length;
    }

    static int divided(int by) {
        int local = 10 / by;
        if (local > 3) {
            return local;
        }
        return seen(local, by);
    }

    synchronized Integer find(String name) {
        if (name == null) {
            return null;
        }
        Integer found = known.get(name);
        if (found != null) {
            return found;
        }
        found = seen(name.length(), 0);
        known.put(name, found);
        return found;
    }

    static int depth(int left) {
        if (left == 0) {
            return 0;
        }
        if (left % 5 == 0) {
            Check.here();
        }
        return depth(left - 1) + 1;
    }

    /** Called by the JDK: restores only on the way that enters. */
    static final class Early implements Comparator<Integer> {
        @Override
        public int compare(Integer a, Integer b) {
            int left = a;
            int right = b;
            if (left == right) {
                return 0;
            }
            if ((left + right) % 7 == 0) {
                Check.here();
            }
            return Integer.compare(left, right);
        }
    }

    static String joined(int n, boolean all) {
        StringBuilder text = new StringBuilder(16);
        for (int i = 0; i < n; i++) {
            text.append(i).append(',').append(Math.abs(i - n));
        }
        if (!all) {
            return text.toString();
        }
        COUNT.incrementAndGet();
        Check.here();
        return text.append(COUNT.get() > 0 ? "+" : "-").toString();
    }

    int round(int i) {
        int sum = cell(i % 8) + choose(i % 5 == 3 ? 4 : i % 5, i, i) + loops(new int[] {1, i % 9, 2, -1});
        Check.here();
        sum += handled(i % 3 == 0 ? null : "text") + divided(i % 6 + 1) + depth(i % 12);
        Integer found = find(i % 4 == 0 ? null : "n" + i % 7);
        sum += found == null ? 0 : found;
        Check.here();
        sum += joined(i % 4, i % 2 == 0).length();
        try {
            sum += i % 5 == 3 ? choose(3, i, i) : cell(i % 9);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            Check.here();
            sum++;
        }
        try {
            sum += divided(i % 4 == 0 ? 0 : 2);
        } catch (ArithmeticException e) {
            sum += seen(1, 1);
        }
        Integer[] sorted = {i % 7, 3, i % 2, 11, 4, i % 5};
        Arrays.sort(sorted, new Early());
        Check.here();
        return sum + sorted[0] + new Deep(i % 6).list.size() + new Point(-i).x;
    }

    /** Called by code that no compiler writes. */
    public static void reached() {
        Check.here();
    }

    /** static void run(int n): calls n times, in a loop whose one way in stands behind all of the method's returns. */
    private static Method behind() throws ReflectiveOperationException {
        Asm asm = new Asm(49, "early/Behind", "java/lang/Object");
        asm.code()
                .op(26).jump(154, "last").op(177)
                .label("again").call("hazards/EarlyReturns", "reached", "()V").op(132, 0, 255, 26).jump(154, "again").op(177)
                .label("last").jump(167, "again")
                .end(Asm.PUBLIC | Asm.STATIC, "run", "(I)V", 1, 1);
        return Bytes.load(asm).getMethod("run", int.class);
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        EarlyReturns all = new EarlyReturns();
        Method behind = behind();
        for (int i = 0; i < 20; i++) {
            behind.invoke(null, i % 4);
        }
        long sum = 0;
        int rounds = Integer.getInteger("rounds", 150);
        for (int i = 0; i < rounds; i++) {
            sum += all.round(i);
        }
        System.out.println("sum " + sum);
        Check.done("EarlyReturns");
    }
}
