package bench.rewriting;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The rewriting of classes by ASM, on one thread, as fast as it gets: {@code bench.rewriting.Asm <classes> <seconds of warm-up>}. The file
 * holds the classes, each behind its length (4 bytes, big-endian).
 *
 * <p>Prints {@code first <milliseconds>} for the first pass over all of them; warmed up,
 * {@code classes <number> <bytes> <bytes afterwards> <skipped>}; then for each line of the standard input {@code pass <milliseconds>} for one
 * more.
 */
public final class Asm {
    private Asm() {}

    public static void main(String[] args) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        List<BitSet> calling = new ArrayList<>();
        long before = 0;
        try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of(args[0])))) {
            while (true) {
                int length = in.read() << 24 | in.read() << 16 | in.read() << 8 | in.read();
                if (length < 0) break;
                classes.add(in.readNBytes(length));
                before += length;
            }
        }
        long begun = System.nanoTime();
        long warm = begun + (long) (Double.parseDouble(args[1]) * 1e9);
        // As an agent meets classes: nobody knows yet which of their methods call.
        for (byte[] bytes : classes) {
            calling.add(Insertion.calling(bytes));
            into(bytes, calling.get(calling.size() - 1));
        }
        System.out.printf("first %.3f%n", (System.nanoTime() - begun) / 1e6);
        long[] result;
        do result = pass(classes, calling); while (System.nanoTime() < warm);
        System.out.printf("classes %d %d %d %d%n", classes.size(), before, result[0], result[1]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            long start = System.nanoTime();
            pass(classes, calling);
            System.out.printf("pass %.3f%n", (System.nanoTime() - start) / 1e6);
        }
    }

    private static long[] pass(List<byte[]> classes, List<BitSet> calling) {
        long after = 0, skipped = 0;
        for (int i = 0; i < classes.size(); i++) {
            int length = into(classes.get(i), calling.get(i));
            after += length;
            if (length == 0) skipped++;
        }
        return new long[] {after, skipped};
    }

    /** How long the class is afterwards; 0 where a method has become too large: Lucce leaves that method, ASM gives up the class. */
    private static int into(byte[] bytes, BitSet calling) {
        try {
            return Insertion.into(bytes, calling).length;
        } catch (RuntimeException e) {
            return 0;
        }
    }
}
