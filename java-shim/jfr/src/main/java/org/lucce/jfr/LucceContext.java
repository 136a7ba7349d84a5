package org.lucce.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.lucce.Lucce;

/**
 * {@code lucce.Context}: an event of JDK Flight Recorder that carries a captured context, so that a
 * recording and a log of the same run can be joined. It has no stack trace of JFR's own: the number
 * stands for the exact one ({@code lucce-decode LOG --context n<number>}).
 */
@Name("lucce.Context")
@Label("Lucce Context")
@Category("Lucce")
@Description("The exact calling context, as a number that lucce-decode turns into a stack trace")
@StackTrace(false)
public final class LucceContext extends Event {
    @Label("Kind")
    String kind;

    @Label("Value")
    long value;

    @Label("Context")
    @Description("What Lucce.capture() gives; 0 for none")
    long context;

    @Label("Run")
    @Description("The run_id in the header of the log")
    long run;

    private LucceContext() {}

    /**
     * An event with the context of this very call. Nothing happens without the agent, or while no
     * recording wants the event.
     */
    public static void emit(String kind, long value) {
        if (!Lucce.active()) return;
        LucceContext event = new LucceContext();
        // A context that is captured is kept for ever.
        if (event.shouldCommit()) event.commit(kind, value, Lucce.capture());
    }

    /** An event with a context that was captured earlier. */
    public static void emit(String kind, long value, long captured) {
        if (!Lucce.active()) return;
        LucceContext event = new LucceContext();
        if (event.shouldCommit()) event.commit(kind, value, captured);
    }

    private void commit(String kind, long value, long captured) {
        this.kind = kind;
        this.value = value;
        context = captured;
        run = Lucce.runId();
        commit();
    }

    /** From now on each {@code Lucce.event} of that kind is an event of the recording, too. */
    public static void follow(String kind) {
        Lucce.addListener(kind, LucceContext::emit);
    }
}
