package hazards;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.lucce.Lucce;

/** Makes events until the file that the argument names is there, and then says how many: what a log that has missed some is compared with. */
public final class Counting {
    private Counting() {}

    public static void main(String[] args) {
        Path end = Path.of(args[0]);
        long made = 0;
        System.out.println("started");
        System.out.flush();
        while (!Files.exists(end)) {
            for (int i = 0; i < 20; i++) {
                Lucce.event("counted", made++);
            }
            LockSupport.parkNanos(1_000_000);
            try {
                made += Integer.parseInt("no number");
            } catch (NumberFormatException e) {
                // One exception for each round.
            }
        }
        System.out.println("made " + made);
    }
}
