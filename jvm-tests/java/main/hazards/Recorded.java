package hazards;

import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.lucce.Lucce;
import org.lucce.jfr.LucceContext;

/** Events of a JFR recording with the numbers of contexts: prints, for each, the number and the stack that it must stand for. */
public final class Recorded {
    private Recorded() {}

    static void emit(String kind) {
        LucceContext.emit(kind, 7); print(new Throwable());
    }

    static void followed() {
        Lucce.event("followed", 8); print(new Throwable());
    }

    static void deep(int depth) {
        if (depth == 0) emit("recursive");
        else deep(depth - 1);
    }

    /** At every depth, where no recording wants it. */
    static void unwanted(int depth) {
        LucceContext.emit("unwanted", depth);
        if (depth > 0) unwanted(depth - 1);
    }

    private static void print(Throwable here) {
        StringBuilder line = new StringBuilder();
        for (StackTraceElement frame : here.getStackTrace()) {
            line.append(frame.getClassName()).append('.').append(frame.getMethodName()).append(':').append(frame.getLineNumber()).append(';');
        }
        System.out.println("stack " + line);
    }

    public static void main(String[] args) throws Exception {
        unwanted(300);
        Path file = Path.of("events.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("lucce.Context");
            recording.start();
            LucceContext.follow("followed");
            emit("plain");
            deep(20);
            followed();
            recording.stop();
            recording.dump(file);
        }
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            System.out.println("event " + event.getString("kind") + " " + event.getLong("value") + " " + event.getLong("context") + " "
                    + Long.toUnsignedString(event.getLong("run")));
        }
        Files.delete(file);
    }
}
