package hazards.plain;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.lucce.Lucce;

/**
 * The two stacks that {@code hazards.Check} compares: the JVM's by {@link StackWalker}, and Lucce's by {@link Lucce#trace}.
 *
 * <p>Both have instrumented frames only. It has no hooks itself: else most of what the agent verifies would be how the tests compare.
 * All methods are static, so that none of them makes calls of the targets interposable.
 */
public final class Stacks {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private Stacks() {}

    /** The real stack, a line for each frame, innermost first: of class, method, and number of the line. */
    public static List<String> real(BiPredicate<String, String> changed) {
        return WALKER.walk(frames -> frames.filter(frame -> isInstrumented(frame, changed)).map(Stacks::line).collect(Collectors.toList()));
    }

    /** What the agent says of a context, likewise; empty if nothing. */
    public static List<String> decoded(long context, BiPredicate<String, String> changed) {
        List<String> lines = new ArrayList<>();
        StackTraceElement[] trace = Lucce.trace(context);
        if (trace != null) {
            for (StackTraceElement e : trace) {
                if (isInstrumented(e.getClassName(), e.getMethodName(), changed)) {
                    lines.add(e.getClassName() + "." + e.getMethodName() + ":" + Math.max(e.getLineNumber(), -1));
                }
            }
        }
        return lines;
    }

    /** The innermost frame is that of the comparison: its line differs. An obsolete method has no line, and on 11 no name. */
    public static boolean agree(List<String> real, List<String> decoded, boolean obsolete) {
        boolean same = real.size() == decoded.size();
        for (int i = 1; same && i < real.size(); i++) {
            String left = real.get(i);
            String right = decoded.get(i);
            same = left.equals(right) || obsolete && left.endsWith(":-1") && type(left).equals(type(right));
        }
        return same;
    }

    /** How they differ, in a few lines. */
    public static void print(List<String> real, List<String> decoded) {
        System.out.println("WRONG: context in " + Thread.currentThread().getName() + ", " + real.size() + " frames, decoded " + decoded.size());
        int most = Math.max(real.size(), decoded.size());
        for (int i = 0, shown = 0; i < most && shown < 12; i++) {
            String left = i < real.size() ? real.get(i) : "-";
            String right = i < decoded.size() ? decoded.get(i) : "-";
            if (most < 12 || !left.equals(right)) {
                System.out.println("  " + i + (left.equals(right) ? "   " : " ! ") + left + " | " + right);
                shown++;
            }
        }
    }

    private static String type(String line) {
        return line.substring(0, line.lastIndexOf('.'));
    }

    private static boolean isInstrumented(StackWalker.StackFrame frame, BiPredicate<String, String> changed) {
        Class<?> c = frame.getDeclaringClass();
        ClassLoader loader = c.getClassLoader();
        return loader != null
                && loader != ClassLoader.getPlatformClassLoader()
                && !Proxy.isProxyClass(c)
                && !frame.isNativeMethod()
                && isInstrumented(c.getName(), frame.getMethodName(), changed);
    }

    private static boolean isInstrumented(String type, String method, BiPredicate<String, String> changed) {
        return !type.startsWith("hazards.plain.")
                && !type.startsWith("agents.")
                && !type.startsWith("org.lucce.")
                && !type.startsWith("java.")
                && !type.startsWith("jdk.internal.")
                && !type.startsWith("sun.")
                // VM-anonymous classes of JDK 11; later hidden ones are not walked.
                && type.indexOf('/') < 0
                && !type.contains("$Proxy")
                && !method.startsWith("tooLarge")
                && (changed == null || !changed.test(type, method));
    }

    private static String line(StackWalker.StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName() + ":" + Math.max(frame.getLineNumber(), -1);
    }
}
