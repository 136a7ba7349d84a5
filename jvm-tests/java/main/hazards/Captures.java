package hazards;

import hazards.plain.Asm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.lucce.Lucce;

/** Captured contexts: equal contexts give equal numbers (in any round, on any thread), others differ, and any thread reads them later. */
public final class Captures {
    static final Map<List<String>, Long> KNOWN = new ConcurrentHashMap<>();
    static final Map<Long, List<String>> BACK = new ConcurrentHashMap<>();

    private Captures() {}

    /** Takes a context, and the real stack beside it; within a run each must always come with the other. */
    public static int take(int n) {
        long context = Lucce.capture();
        List<String> real = Check.stack();
        Check.here();
        if (Lucce.active()) {
            Long known = KNOWN.putIfAbsent(real, context);
            if (known != null) {
                Check.equal(known, context);
            }
            List<String> back = BACK.putIfAbsent(context, real);
            if (back != null) {
                Check.equal(back, real);
            }
        }
        Lucce.event("take", n);
        return n;
    }

    static int tree(int depth, int path) {
        if (depth == 0) {
            return take(path & 1);
        }
        // One call a line: lines are all that the real stack says here.
        if ((path & 1) == 0) {
            return tree(depth - 1, path >> 1);
        }
        int sum = take(1);
        return sum + tree(depth - 1, path >> 1);
    }

    static int recursive(int n) {
        int[] sum = {take(n)};
        if (n > 0) {
            List.of(n - 1).forEach(m -> sum[0] += recursive(m));
            sum[0] += recursive(n - 1);
        }
        return sum[0];
    }

    /** Mutual recursion, directly and through the JDK, that exceptions leave, and that goes down once more from where they are caught. */
    static int ping(int n, int path) {
        int[] sum = {take(n)};
        if (n == 0 && (path & 1) == 0) {
            throw new IllegalStateException();
        }
        try {
            if (n > 0 && (path & 1) == 0) {
                sum[0] += pong(n - 1, path >> 1);
            } else if (n > 0) {
                List.of(n - 1).forEach(m -> sum[0] += pong(m, path >> 1));
            }
        } catch (IllegalStateException e) {
            if ((path & 3) != 0) {
                throw e;
            }
            sum[0] += take(1);
            sum[0] += pong(n - 1, path >> 1 | 1 << n - 1);
        }
        return sum[0] + take(n);
    }

    static int pong(int n, int path) {
        return n == 0 ? ping(0, path) : ping(n - 1, path >> 1) + take(n);
    }

    static int body() {
        int sum = 0;
        for (int path = 0; path < 64; path++) {
            sum += tree(6, path);
            try {
                sum += ping(6, path);
            } catch (IllegalStateException e) {
                sum += take(3);
            }
        }
        return sum + recursive(5);
    }

    /** The word of an activation, decoded with its site by another thread. */
    static void words() throws InterruptedException {
        long word = Lucce.context();
        int site = Lucce.site();
        List<StackTraceElement[]> traces = new ArrayList<>();
        Thread other = new Thread(() -> traces.add(Lucce.trace(word, site)));
        other.start();
        other.join();
        if (Lucce.active()) {
            StackTraceElement[] trace = traces.get(0);
            Check.equal(true, word != 0 && site != 0 && trace.length >= 2);
            Check.equal("words", trace.length > 0 ? trace[0].getMethodName() : "none");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int sum = 0;
        for (int round = 0; round < 3; round++) {
            sum += body();
            Thread[] threads = {new Thread(Captures::body), new Thread(Captures::body)};
            for (Thread thread : threads) {
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            words();
            // New classes and edges between the rounds, so that versions change.
            for (int i = 0; i < 40; i++) {
                String name = "captures/Round" + round + "x" + i;
                Asm asm = new Asm(49, name, "java/lang/Object");
                asm.code().op(26).call("hazards/Captures", "take", "(I)I").op(172).end(Asm.PUBLIC | Asm.STATIC, "go", "(I)I", 1, 1);
                try {
                    sum += (int) Bytes.load(asm).getMethod("go", int.class).invoke(null, i);
                } catch (ReflectiveOperationException e) {
                    Check.fail("" + e);
                }
            }
        }
        // Later, and from here: what each number means has not changed.
        Map<Long, List<String>> all = new HashMap<>(BACK);
        all.forEach((context, real) -> Check.same(real, context));
        Check.equal(true, Lucce.active() ? all.size() > 64 : all.isEmpty());
        System.out.println(sum);
        Check.done("Captures");
    }
}
