package hazards;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import hazards.plain.Asm;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.lucce.Lucce;

/**
 * Makes new classes, edges and events for as long as it is let: what `kill -9` interrupts. The events of kind {@code step} count up from 0; when each
 * had been made, in milliseconds since 1970, stands in the file that the argument names, 8 bytes each, little-endian. The file is mapped, so
 * that it is whole whenever the program ends. The second argument is how many milliseconds it rests between.
 */
public final class Busy {
    private static final int MOST = 1 << 21;
    private static LongBuffer times;
    private static int events;

    private Busy() {}

    /** Called by each generated class. */
    public static int step(int n) {
        Lucce.event("step", events);
        times.put(events++, System.currentTimeMillis());
        return n + 1;
    }

    static int recurse(int n, int value) {
        return n == 0 ? step(value) : recurse(n - 1, value + 1);
    }

    public static void main(String[] args) throws Exception {
        try (FileChannel file = FileChannel.open(Path.of(args[0]), CREATE, READ, WRITE)) {
            times = file.map(FileChannel.MapMode.READ_WRITE, 0, 8L * MOST).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
        long rest = Long.parseLong(args[1]);
        System.out.println("started");
        System.out.flush();
        for (int i = 0; events < MOST - 1; i++) {
            Asm asm = new Asm(49, "busy/Class" + i, "java/lang/Object");
            asm.code().op(26).call("hazards/Busy", "step", "(I)I").op(172).end(Asm.PUBLIC | Asm.STATIC, "go", "(I)I", 1, 1);
            Bytes.load(asm).getMethod("go", int.class).invoke(null, i);
            recurse(i % 30, i);
            if (rest > 0) {
                Thread.sleep(rest);
            }
        }
    }
}
