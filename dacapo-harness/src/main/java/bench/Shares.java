package bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Of the processor time that this process has taken since its start, what the threads took that compile, and those that collect garbage.
 *
 * <p>Threads are told by the names that HotSpot gives them ({@code CompilerThread}, {@code WorkerThread} and their like), cut to 15 bytes by the
 * system. What a thread took that has ended is lost: HotSpot ends one of these only where there are several. The rest of the
 * process's time is the application's, but for moments of the JVM's own threads. Source: proc(5), {@code /proc/[pid]/task/[tid]/schedstat}.
 */
final class Shares {
    /** Milliseconds; 0 where the system does not say. */
    final double compiling, collecting;

    private static final Path THREADS = Path.of("/proc/self/task");

    private Shares(double compiling, double collecting) {
        this.compiling = compiling;
        this.collecting = collecting;
    }

    static Shares now() throws IOException {
        double compiling = 0, collecting = 0;
        if (!Files.isDirectory(THREADS)) return new Shares(0, 0);
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            for (Path thread : threads) {
                try {
                    String name = Files.readString(thread.resolve("comm"));
                    if (compiles(name)) compiling += took(thread);
                    else if (collects(name)) collecting += took(thread);
                } catch (IOException e) {
                    // It has ended since it was listed: its folder is gone, and reading a file that was open by then fails (ESRCH).
                    if (Files.exists(thread)) throw e;
                }
            }
        }
        return new Shares(compiling, collecting);
    }

    private static boolean compiles(String name) {
        return name.startsWith("C1 ") || name.startsWith("C2 ");
    }

    private static boolean collects(String name) {
        return name.startsWith("GC ") || name.startsWith("G1 ") || name.startsWith("VM Thread");
    }

    private static double took(Path thread) throws IOException {
        String text = Files.readString(thread.resolve("schedstat"));
        return Long.parseLong(text.substring(0, text.indexOf(' '))) / 1e6;
    }

    Shares since(Shares before) {
        return new Shares(compiling - before.compiling, collecting - before.collecting);
    }
}
