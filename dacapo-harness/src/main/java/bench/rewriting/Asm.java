package bench.rewriting;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.MethodTooLargeException;

/**
 * The rewriting of classes by ASM, on one thread, as fast as it gets: {@code bench.rewriting.Asm <classes> <seconds of warm-up>}. The file
 * holds the classes, each behind its length (4 bytes, big-endian).
 *
 * <p>Prints {@code first <milliseconds> <milliseconds of processor time>} for the first pass over all of them, the JIT's and the collector's time
 * included; warmed up,
 * {@code classes <number> <bytes> <bytes afterwards> <skipped> <methods> <sites>}; then for each line of the standard input
 * {@code pass <milliseconds>} for one more.
 */
public final class Asm {
    private Asm() {}

    public static void main(String[] args) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        long before = 0;
        try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of(args[0])))) {
            while (true) {
                int length = in.read() << 24 | in.read() << 16 | in.read() << 8 | in.read();
                if (length < 0) break;
                classes.add(in.readNBytes(length));
                before += length;
            }
        }
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long used = system.getProcessCpuTime();
        long begun = System.nanoTime();
        long warm = begun + (long) (Double.parseDouble(args[1]) * 1e9);
        Pass pass = new Pass(classes);
        long took = System.nanoTime() - begun;
        System.out.printf("first %.3f %.3f%n", took / 1e6, (system.getProcessCpuTime() - used) / 1e6);
        while (System.nanoTime() < warm) pass = new Pass(classes);
        System.out.printf("classes %d %d %d %d %d %d%n", classes.size(), before, pass.after, pass.skipped, pass.methods, pass.sites);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            long start = System.nanoTime();
            new Pass(classes);
            System.out.printf("pass %.3f%n", (System.nanoTime() - start) / 1e6);
        }
    }

    /** All classes once. */
    private static final class Pass {
        private final Insertion.Ids ids = new Insertion.Ids();
        private long after, skipped, methods, sites;

        Pass(List<byte[]> classes) {
            for (byte[] bytes : classes) into(bytes);
        }

        /** Where a method has become too large, Lucce leaves that method, ASM gives up the class. */
        private void into(byte[] bytes) {
            try {
                Insertion insertion = new Insertion(bytes, ids);
                after += insertion.run().length;
                methods += insertion.tables.size();
                for (Tables method : insertion.tables) sites += method.sites.size();
            } catch (MethodTooLargeException | ClassTooLargeException e) {
                skipped++;
            }
        }
    }
}
