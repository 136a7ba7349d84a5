package hazards;

import hazards.plain.Late;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Classes that the agent has rewritten before they are loaded, and that come otherwise than it foresaw: with other bytes, or when something has been
 * loaded that may stand between their callers and them.
 */
public final class Foreseen {
    private static final String TEXT = "as it is";
    private static final String OTHER = "altered!";

    private Foreseen() {}

    /** Loaded with other bytes first. */
    public static final class Greeting implements Supplier<String> {
        /** Of anybody. */
        public Greeting() {}

        @Override
        public String get() {
            Check.here();
            return "as it is";
        }
    }

    /** A step that may lead to others. */
    public interface Step {
        /** Goes on. */
        int foreseen(int n);
    }

    /** Rewritten when no code without hooks has this method yet. */
    static final class Last implements Step {
        @Override
        public int foreseen(int n) {
            Check.here();
            return n + 1;
        }
    }

    /** Just as it was foreseen. */
    static final class Usual implements Step {
        @Override
        public int foreseen(int n) {
            Check.here();
            return n - 1;
        }
    }

    static int go(Step step, int n) {
        return step.foreseen(n);
    }

    @SuppressWarnings("unchecked")
    static void altered() throws Exception {
        byte[] bytes = Bytes.read("hazards.Foreseen$Greeting");
        byte[] from = TEXT.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at <= bytes.length - from.length; at++) {
            if (Arrays.equals(bytes, at, at + from.length, from, 0, from.length)) {
                System.arraycopy(OTHER.getBytes(StandardCharsets.UTF_8), 0, bytes, at, from.length);
            }
        }
        Class<?> other = new Bytes().define("hazards.Foreseen$Greeting", bytes);
        Supplier<String> greeting = (Supplier<String>) other.getDeclaredConstructor().newInstance();
        Check.equal(OTHER, greeting.get());
        Check.equal(TEXT, new Greeting().get());
    }

    static void late() {
        Step between = new Late(null);
        Check.equal(3, go(between, 3));
        Step last = new Last();
        for (int i = 0; i < 3; i++) {
            Check.equal(i + 1, go(last, i));
            Check.equal(i + 1, go(new Late(last), i));
        }
    }

    /** The agent's thread has nothing left to do: it sleeps until it is woken. */
    static void settle() throws InterruptedException {
        String before = "";
        int same = 0;
        for (int i = 0; i < 3000; i++) {
            String now = state();
            same = now.equals(before) && now.contains("sleeping") ? same + 1 : 0;
            if (same == 3) {
                return;
            }
            before = now;
            Thread.sleep(50);
        }
        Check.fail("the agent's thread does not come to rest");
    }

    private static String state() {
        File[] tasks = new File("/proc/self/task").listFiles();
        for (File task : tasks == null ? new File[0] : tasks) {
            try {
                Path folder = task.toPath();
                if (Files.readString(folder.resolve("comm")).trim().equals("lucce-ahead")) {
                    return Files.readString(folder.resolve("status"));
                }
            } catch (IOException gone) {
                continue;
            }
        }
        return "";
    }

    public static void main(String[] args) throws Exception {
        if (Boolean.getBoolean("foreseen")) {
            settle();
        }
        altered();
        late();
        Check.equal(1, go(new Usual(), 2));
        Check.done("Foreseen");
    }
}
