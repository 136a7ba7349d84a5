package programs;

/** A line with the frames of a stack that have hooks. */
final class Stacks {
    private Stacks() {}

    static String line(Throwable here) {
        StringBuilder stack = new StringBuilder("stack ");
        for (StackTraceElement frame : here.getStackTrace()) {
            // The JDK's own have no hooks.
            if (frame.getClassName().startsWith("java.")) continue;
            stack.append(frame.getClassName()).append('.').append(frame.getMethodName()).append(':').append(frame.getLineNumber()).append(';');
        }
        return stack.toString();
    }
}
