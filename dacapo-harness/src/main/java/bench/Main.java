package bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Runs one program: {@code bench.Main <class>[:<argument>...] <iterations> <scratch folder> <folder of jars>}, iterations as
 * {@link Schedule} reads them.
 *
 * <p>Prints, for the reader that started it, {@code iteration <number> <milliseconds> <milliseconds of CPU> <of these, compiling> <collecting>
 * <digest>} after each iteration, at the end {@code memory} and the four figures of {@link Memory}, {@code calls <number>} (those of the last
 * iteration, where {@code bench.count.Agent} counts), {@code settled <iterations before those that count>} and last
 * {@code validated <digest>}. Whatever else a program prints goes to standard error.
 * Exit status 1: an iteration put out something else than the first, or something was thrown.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        try {
            run(args);
            System.exit(0);
        } catch (Throwable e) {
            // Threads of the program may be running; without an end of ours they would keep the JVM.
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        Locale.setDefault(Locale.ROOT);
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Program program = program(args[0].split(":"));
        Schedule schedule = Schedule.of(args[1]);
        program.prepare(new Place(Path.of(args[2]), Path.of(args[3])));
        Object counter = System.getProperties().get("bench.calls");
        LongSupplier calls = counter instanceof LongSupplier ? (LongSupplier) counter : () -> 0;
        long first = 0, called = 0;
        for (int i = 1; schedule.goesOn(); i++) {
            program.before();
            long before = calls.getAsLong();
            Shares shares = Shares.now();
            long cpu = system.getProcessCpuTime();
            long start = System.nanoTime();
            program.iterate();
            double time = (System.nanoTime() - start) / 1e6;
            cpu = system.getProcessCpuTime() - cpu;
            shares = Shares.now().since(shares);
            called = calls.getAsLong() - before;
            long digest = program.validate();
            schedule.took(time, shares.compiling);
            out.printf("iteration %d %.3f %.3f %.3f %.3f %016x%n", i, time, cpu / 1e6, shares.compiling, shares.collecting, digest);
            if (i == 1) first = digest;
            if (digest != first) {
                throw new IllegalStateException(String.format("%s: iteration %d put out %016x, the first %016x", args[0], i, digest, first));
            }
        }
        out.println("memory " + Memory.now());
        program.close();
        if (called > 0) out.printf("calls %d%n", called);
        if (schedule.before() > 0) out.printf("settled %d%n", schedule.before());
        out.printf("validated %016x%n", first);
    }

    /** The program of that class in {@code bench.programs}, made with the words behind its name. */
    public static Program program(String... words) throws ReflectiveOperationException {
        String[] arguments = Arrays.copyOfRange(words, 1, words.length);
        Class<?> type = Class.forName("bench.programs." + words[0]);
        if (arguments.length == 0) return (Program) type.getConstructor().newInstance();
        return (Program) type.getConstructor(String[].class).newInstance((Object) arguments);
    }
}
