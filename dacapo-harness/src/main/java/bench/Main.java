package bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Runs one program: {@code bench.Main <class> <iterations> <scratch folder> <folder of jars>}.
 *
 * <p>Prints, for the reader that started it, {@code iteration <number> <milliseconds> <digest>} after each iteration,
 * {@code memory <KiB>} (the largest resident set) at the end, and last {@code validated <digest>}. Whatever else a program prints goes to
 * standard error. Exit status 1: an iteration put out something else than the first.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        Locale.setDefault(Locale.ROOT);
        Program program = (Program) Class.forName("bench.programs." + args[0]).getConstructor().newInstance();
        int iterations = Integer.parseInt(args[1]);
        program.prepare(new Place(Path.of(args[2]), Path.of(args[3])));
        long first = 0;
        for (int i = 1; i <= iterations; i++) {
            program.before();
            long start = System.nanoTime();
            program.iterate();
            long nanos = System.nanoTime() - start;
            long digest = program.validate();
            out.printf("iteration %d %.3f %016x%n", i, nanos / 1e6, digest);
            if (i == 1) first = digest;
            if (digest != first) {
                System.err.printf("%s: iteration %d put out %016x, the first %016x%n", args[0], i, digest, first);
                System.exit(1);
            }
        }
        program.close();
        out.printf("memory %d%n", peak());
        out.printf("validated %016x%n", first);
        System.exit(0);
    }

    /** The largest resident set so far, in KiB; 0 where the system does not say. */
    private static long peak() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) return 0;
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("VmHWM:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        return 0;
    }
}
