package debugger;

import com.sun.jdi.IntegerValue;
import com.sun.jdi.StackFrame;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.StepRequest;

/** A debugger: attaches to a port, stops where `Beside.marked` begins, steps, reads locals and frames, and lets the program go. */
public final class Breakpoint {
    private Breakpoint() {}

    public static void main(String[] arguments) throws Exception {
        Session session = new Session(arguments[0], "hazards.Beside");
        BreakpointRequest stop = session.stopIn("marked", 0);

        BreakpointEvent hit = session.await(BreakpointEvent.class);
        stop.disable();
        show(hit.thread().frame(0));
        StepRequest step = session.vm.eventRequestManager()
                .createStepRequest(hit.thread(), StepRequest.STEP_LINE, StepRequest.STEP_OVER);
        step.addCountFilter(1);
        step.enable();
        session.vm.resume();

        StepEvent stepped = session.await(StepEvent.class);
        StackFrame frame = stepped.thread().frame(0);
        show(frame);
        int n = ((IntegerValue) frame.getValue(frame.visibleVariableByName("n"))).value();
        int twice = ((IntegerValue) frame.getValue(frame.visibleVariableByName("twice"))).value();
        System.out.println(twice == 2 * n ? "locals are right" : n + " and " + twice);
        System.out.println("called by " + stepped.thread().frame(1).location().method().name());
        session.release();
    }

    private static void show(StackFrame frame) {
        System.out.println(frame.location().method().name() + ":" + frame.location().lineNumber());
    }
}
