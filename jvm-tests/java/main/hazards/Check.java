package hazards;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.lucce.Lucce;

/**
 * The independent check: {@link StackWalker} against {@link Lucce#trace}, frame by frame (class, method, line).
 *
 * <p>Both sides keep instrumented frames only: native methods, JDK and proxy classes, {@code agents} (may be loaded before
 * the agent is ready), {@code hazards.plain} (excluded by the driver) and methods named {@code tooLarge...} are left out.
 * Without the agent a point is only counted, so the output is the same.
 */
public final class Check {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final AtomicLong POINTS = new AtomicLong();
    private static final AtomicLong WRONG = new AtomicLong();

    /** Does the target make methods obsolete? StackWalker knows no lines of those, and on 11 not even their names. */
    static volatile boolean obsolete;

    /** Methods (class, name) that another agent has changed behind Lucce: they count as uninstrumented. */
    static volatile BiPredicate<String, String> changed = (type, method) -> false;

    private Check() {}

    /** Compares the context of this very call with the real stack. */
    public static void here() {
        POINTS.incrementAndGet();
        if (!Lucce.active()) {
            return;
        }
        long context = Lucce.capture();
        List<String> real = WALKER.walk(frames -> frames.filter(Check::instrumented).map(Check::line).collect(Collectors.toList()));
        compare(real, context);
    }

    /** The real stack as seen from here, without this frame: for a later {@link #same}. */
    public static List<String> stack() {
        List<String> real = WALKER.walk(frames -> frames.filter(Check::instrumented).map(Check::line).collect(Collectors.toList()));
        return real.subList(1, real.size());
    }

    /** Compares a context captured earlier (its innermost frame left out) with the stack taken beside it. */
    public static void same(List<String> real, long context) {
        if (!Lucce.active()) {
            return;
        }
        List<String> decoded = decode(context);
        if (decoded.isEmpty() || !agree(real, decoded)) {
            report(real, decoded);
        }
    }

    /** Fails the target unless both are equal. */
    public static void equal(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            WRONG.incrementAndGet();
            System.out.println("WRONG: expected " + expected + ", got " + actual);
        }
    }

    /** Fails the target with a reason. */
    public static void fail(String reason) {
        WRONG.incrementAndGet();
        System.out.println("WRONG: " + reason);
    }

    /** Last line of a target whose number of points is always the same. */
    public static void done(String target) {
        finish(target + ": ok, " + POINTS.get() + " points");
    }

    /** Last line of a target whose number of points depends on the scheduler or the collector. */
    public static void doneRacy(String target) {
        finish(target + ": ok" + (POINTS.get() > 0 ? "" : ", but no points"));
    }

    private static void finish(String line) {
        if (WRONG.get() != 0) {
            System.out.println("WRONG: " + WRONG.get() + " times");
            System.out.flush();
            Runtime.getRuntime().halt(1);
        }
        System.out.println(line);
        System.out.flush();
    }

    private static void compare(List<String> real, long context) {
        List<String> decoded = decode(context);
        boolean headed = !decoded.isEmpty() && decoded.get(0).startsWith("hazards.Check.here:");
        if (!headed || !agree(real, decoded)) {
            report(real, decoded);
        }
    }

    /** The innermost frame is that of the comparison: its line differs. */
    private static boolean agree(List<String> real, List<String> decoded) {
        boolean same = real.size() == decoded.size();
        for (int i = 1; same && i < real.size(); i++) {
            String left = real.get(i);
            String right = decoded.get(i);
            same = left.equals(right) || obsolete && left.endsWith(":-1") && type(left).equals(type(right));
        }
        return same;
    }

    private static String type(String line) {
        return line.substring(0, line.lastIndexOf('.'));
    }

    private static List<String> decode(long context) {
        List<String> lines = new ArrayList<>();
        StackTraceElement[] trace = Lucce.trace(context);
        if (trace != null) {
            for (StackTraceElement e : trace) {
                if (instrumented(e.getClassName(), e.getMethodName())) {
                    lines.add(e.getClassName() + "." + e.getMethodName() + ":" + Math.max(e.getLineNumber(), -1));
                }
            }
        }
        return lines;
    }

    private static synchronized void report(List<String> real, List<String> decoded) {
        if (WRONG.incrementAndGet() > 5) {
            return;
        }
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

    private static boolean instrumented(StackWalker.StackFrame frame) {
        Class<?> c = frame.getDeclaringClass();
        ClassLoader loader = c.getClassLoader();
        return loader != null
                && loader != ClassLoader.getPlatformClassLoader()
                && !Proxy.isProxyClass(c)
                && !frame.isNativeMethod()
                && instrumented(c.getName(), frame.getMethodName());
    }

    private static boolean instrumented(String type, String method) {
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
                && !changed.test(type, method);
    }

    private static String line(StackWalker.StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName() + ":" + Math.max(frame.getLineNumber(), -1);
    }
}
