package hazards;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import org.lucce.Lucce;

/**
 * Names that class files may have and text cannot: surrogates that stand alone, zeros, controls; and kinds of events that are called as the
 * agent's own.
 */
public final class OddNames {
    /** What the JVM accepts in place of a name of three bytes of Latin letters; a zero is written as two bytes there. */
    private static final String[] NAMES = {"\uD800", "\uD801", "\uDFFF", "\0x", "\0y", "\u2028", "\u202E", "\n\\n", "\\n\n"};
    private static final String[] AGENTS =
            {"alloc", "exception", "monitor", "park", "cpu", "entry", "entered", "leak", "leak.objects"};
    private static final String[] ODD =
            {"", "\uD800", "\uD801", "\0", "a;b", "a:b", "program:alloc", "program:", "\u202Eevil\n", "\uDBFF\uDFFD\uE000"};

    private OddNames() {}

    /** Called by the methods that are named so: the agent's frame of the caller is the JVM's. */
    public static void here() {
        StackTraceElement[] ours = Lucce.trace(Lucce.capture());
        StackTraceElement[] jvms = new Throwable().getStackTrace();
        Lucce.event("named", 1);
        if (Lucce.active()) {
            Check.equal(jvms[1].getClassName(), ours[1].getClassName());
            Check.equal(jvms[1].getMethodName(), ours[1].getMethodName());
            Check.equal(jvms[1].getFileName(), ours[1].getFileName());
        }
    }

    /** What is renamed: "Own" in its name and its file's, "aaa". */
    static class Own {
        public static void aaa() {
            here();
        }
    }

    /** Defines {@link Own} again and again. */
    private static final class Loader extends ClassLoader {
        Class<?> named(String own, String method) throws Exception {
            byte[] bytes;
            try (InputStream in = OddNames.class.getResourceAsStream("OddNames$Own.class")) {
                bytes = in.readAllBytes();
            }
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            // The file keeps its name but for its first letter: all that is replaced is of three bytes.
            text = text.replace("$Own", "$" + modified(own)).replace("aaa", modified(method)).replace("Odd" + "Names.java", "Odd" + "N" + "\u00ed\u00a0\u0085" + "s.java");
            bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    /** Three bytes of modified UTF-8, as Latin letters. */
    private static String modified(String name) {
        StringBuilder bytes = new StringBuilder();
        for (char unit : name.toCharArray()) {
            if (unit >= 0x800) {
                bytes.append((char) (0xE0 | unit >> 12)).append((char) (0x80 | unit >> 6 & 0x3F)).append((char) (0x80 | unit & 0x3F));
            } else if (unit == 0) {
                bytes.append((char) 0xC0).append((char) 0x80);
            } else {
                bytes.append(unit);
            }
        }
        if (bytes.length() != 3) throw new IllegalArgumentException(name);
        return bytes.toString();
    }

    private static void kinds() {
        for (String kind : AGENTS) {
            Lucce.event(kind, 7);
            Lucce.event(Lucce.kind(kind), 7);
        }
        for (String kind : ODD) {
            Lucce.event(kind, 7);
            Lucce.event(Lucce.kind(kind), 7);
        }
        Lucce.event("x".repeat(3 << 20), 7);
        Lucce.event("x".repeat(3 << 20) + "y", 7);
    }

    public static void main(String[] args) throws Exception {
        for (String name : NAMES) {
            Class<?> type = new Loader().named(name, name);
            Method method = type.getMethod(name);
            method.setAccessible(true);
            Thread thread = new Thread(() -> {
                try {
                    method.invoke(null);
                } catch (ReflectiveOperationException e) {
                    Check.fail(e.toString());
                }
            }, name);
            thread.start();
            thread.join();
        }
        kinds();
        Check.done("OddNames");
    }
}
