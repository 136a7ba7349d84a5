package hazards;

import agents.Lines;
import java.io.PrintWriter;
import java.util.Set;
import java.util.TreeSet;

/**
 * A class whose lines move, again and again, also while its methods are on the stack. It writes how the JVM itself prints the stack at each place
 * where it has allocated. Argument: the file that is written.
 */
public final class MovedLines {
    private static final Set<String> STACKS = new TreeSet<>();

    private MovedLines() {}

    static final class Body {
        private Body() {}

        static void sink(int deep) {
            if (deep > 0) {
                sink(deep - 1);
            }
            Object[] both = {new byte[Attached.LARGE], new Throwable()};
            Attached.kept = both[0];
            STACKS.add(Attached.read((Throwable) both[1]));
        }

        /** Its own activations go on in the code that they began with. The JVM prints no lines of those. */
        static void moving(int deep, int by) throws Exception {
            if (deep == 2) {
                Lines.move(Body.class, by);
            }
            if (deep > 0) {
                moving(deep - 1, by);
            }
            Attached.kept = new byte[Attached.LARGE / 2];
        }
    }

    public static void main(String[] args) throws Exception {
        for (int by = 0; by < 15; by++) {
            Body.sink(1);
            Body.moving(4, by * 100);
            Body.sink(2);
            Lines.move(Body.class, by);
        }
        try (PrintWriter out = new PrintWriter(args[0], "UTF-8")) {
            STACKS.forEach(out::println);
        }
        System.out.println("MovedLines: " + STACKS.size());
    }
}
