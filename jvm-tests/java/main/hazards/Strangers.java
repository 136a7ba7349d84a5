package hazards;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import org.lucce.Lucce;

/** An event on each of ever new virtual threads (JDK 21 and later), so many of them; says by how many KiB the process has grown over the last three quarters. */
public final class Strangers {
    private Strangers() {}

    private static long resident() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        throw new IOException("no VmRSS");
    }

    private static void meet(int threads) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int i = 0; i < threads; i++) {
            int number = i;
            ((Thread) start.invoke(null, (Runnable) () -> Lucce.event("met", number))).join();
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        meet(threads / 4);
        long before = resident();
        meet(threads - threads / 4);
        System.out.println("grown by " + (resident() - before));
    }
}
