package hazards;

import java.util.List;
import java.util.Random;
import org.lucce.Lucce;

/**
 * Constructors that read their words below recursion along paths that hardly ever repeat: more of them than one word can count. A constructor cannot push,
 * so its word has to say by itself how it was reached, as far as it can.
 */
public final class Constructed {
    private static int sum;

    private Constructed() {}

    /** Reads its own word; whoever is constructed within it reads one, too. */
    static class Read {
        final Read inner;

        Read(int nested) {
            long word = Lucce.context();
            int site = Lucce.site();
            Check.same(Check.stack(), Lucce.capture());
            told(word, site);
            inner = nested > 0 ? new Deeper(nested - 1) : null;
        }
    }

    static final class Deeper extends Read {
        Deeper(int nested) {
            super(nested);
            told(Lucce.context(), Lucce.site());
        }
    }

    /** The word tells at least its own activation and the next, and nothing that is wrong. */
    static void told(long word, int site) {
        if (!Lucce.active()) {
            return;
        }
        List<String> all = Check.stack();
        List<String> real = all.subList(1, all.size());
        StackTraceElement[] frames = Lucce.trace(word, site);
        if (frames.length < 2) {
            Check.fail(frames.length + " frames of " + real.size() + ", word " + Long.toHexString(word));
        }
        for (int i = 0; i < frames.length; i++) {
            String frame = frames[i].getClassName() + "." + frames[i].getMethodName();
            String told = i < real.size() ? real.get(i) : "-";
            if (frame.startsWith("org.lucce.Unknown.")) {
                return;
            }
            Check.equal(told.substring(0, Math.max(told.lastIndexOf(':'), 0)), frame);
        }
    }

    static void left(int depth, Random path) {
        sum++;
        down(depth, path);
        sum--;
    }

    static void right(int depth, Random path) {
        sum += 2;
        down(depth, path);
        sum -= 2;
    }

    static void down(int depth, Random path) {
        if (depth == 0) {
            sum += new Deeper(2).inner == null ? 1 : 0;
        } else if (path.nextBoolean()) {
            left(depth - 1, path);
        } else {
            right(depth - 1, path);
        }
    }

    public static void main(String[] arguments) {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 60;
        Random path = new Random(7);
        for (int round = 0; round < rounds; round++) {
            down(round % 60, path);
            down(3 * (round % 60), path);
        }
        Check.done("Constructed " + sum);
    }
}
