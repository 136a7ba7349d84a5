package org.lucce.junit;

import java.util.Arrays;
import java.util.function.Predicate;
import org.lucce.Tally;

/** An exact sum of one kind, class and context below a test. */
final class Count {
    final String kind;
    /** What was made; null for calls. */
    final String type;
    final long count;
    final long bytes;
    /** Innermost first; the last is the test method's. */
    final StackTraceElement[] frames;

    Count(Tally tally, StackTraceElement[] frames) {
        kind = tally.kind();
        type = tally.className();
        count = tally.count();
        bytes = tally.value();
        this.frames = frames;
    }

    boolean isAllocation() {
        return kind.equals("alloc");
    }

    /** Is it of a method, or of what it calls? */
    boolean isBelow(Predicate<String> method) {
        return Arrays.stream(frames).map(Count::name).anyMatch(method);
    }

    /** Is it of a method itself? */
    boolean isIn(Predicate<String> method) {
        return method.test(name(frames[0]));
    }

    /** Does it come only once in a JVM, with the class or call site that is linked? */
    boolean isLinkage() {
        return Arrays.stream(frames).anyMatch(frame -> frame.getMethodName().equals("<clinit>")
                || frame.getClassName().equals("java.lang.invoke.MethodHandleNatives") && frame.getMethodName().startsWith("link"));
    }

    /** Does the engine of the test framework do it, called back where the test waits? */
    boolean isOfEngine() {
        return Arrays.stream(frames).anyMatch(frame -> frame.getClassName().startsWith("org.junit.platform.engine.support.hierarchical."));
    }

    static String name(StackTraceElement frame) {
        return frame.getClassName() + "." + frame.getMethodName();
    }

    /** Its frames as a stack trace has them. */
    String trace() {
        StringBuilder text = new StringBuilder();
        for (StackTraceElement frame : frames) text.append("\n        at ").append(frame);
        return text.toString();
    }
}
