package debugger;

import com.sun.jdi.IntegerValue;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.Value;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.StepRequest;
import java.util.List;

/**
 * A debugger that does more than look: has stopped threads call methods at many an instruction (`calls`), drops a frame (`pops`),
 * returns early (`returns`), throws an error within a hook (`stops`), or at each instruction by which a method leaves (`leaves`).
 */
public final class Intrusion {
    private static final int STOPS = 6;
    private static final int STEPS = 400;
    private static final int ATHROW = 191;
    /** Instructions of the hooks' handler that no handler watches: those that clear the published site. */
    private static final int UNWATCHED = 3;

    private final Session session;

    private Intrusion(Session session) {
        this.session = session;
    }

    public static void main(String[] arguments) throws Exception {
        Session session = new Session(arguments[0], "hazards.Debugged");
        Intrusion intrusion = new Intrusion(session);
        if (arguments[1].equals("calls")) {
            intrusion.calls();
        } else if (arguments[1].equals("stops")) {
            intrusion.stops();
        } else if (arguments[1].equals("leaves")) {
            intrusion.leaves();
        } else {
            intrusion.drops(arguments[1].equals("pops"));
        }
        session.release();
    }

    /** Calls at each stop, and then between any two instructions, those of the hooks among them. */
    private void calls() throws Exception {
        BreakpointRequest stop = session.stopIn("called", 1);
        int sum = 0;
        ThreadReference thread = null;
        for (int n = 0; n < STOPS; n++) {
            thread = session.await(BreakpointEvent.class).thread();
            sum += call(thread, n);
            if (n < STOPS - 1) session.vm.resume();
        }
        stop.disable();
        for (int n = 0; n < STEPS; n++) {
            StepRequest step = session.vm.eventRequestManager()
                    .createStepRequest(thread, StepRequest.STEP_MIN, StepRequest.STEP_INTO);
            step.enable();
            session.vm.resume();
            session.await(StepEvent.class);
            // What is called would stop, too.
            session.vm.eventRequestManager().deleteEventRequest(step);
            call(thread, 2);
        }
        System.out.println("called " + sum);
    }

    private int call(ThreadReference thread, int n) throws Exception {
        Method depth = session.program.methodsByName("depth").get(0);
        Value result = session.program.invokeMethod(
                thread, depth, List.of(session.vm.mirrorOf(n)), ObjectReference.INVOKE_SINGLE_THREADED);
        return ((IntegerValue) result).value();
    }

    /** At the end of a push, which the method that is entered does not know of yet. */
    private void stops() throws Exception {
        BreakpointRequest stop = session.stopIn("struck", 0);
        ThreadReference thread = session.await(BreakpointEvent.class).thread();
        stop.disable();
        Method push = session.vm.classesByName("java.lang.LucceShadowStack").get(0).methodsByName("push").get(0);
        BreakpointRequest pushed = session.vm.eventRequestManager()
                .createBreakpointRequest(push.locationOfCodeIndex(push.bytecodes().length - 1));
        pushed.addThreadFilter(thread);
        pushed.enable();
        ObjectReference error = error();
        int stops = 0;
        for (int n = 0; stops < STOPS; n++) {
            session.vm.resume();
            session.await(BreakpointEvent.class);
            if (n % 5 == 0 && isCaught(thread)) {
                stops++;
                thread.stop(error);
            }
        }
        pushed.disable();
        session.vm.resume();
        System.out.println("stopped " + stops);
    }

    /** Behind the last call of a method, once at each instruction: until it has returned, and until it has thrown what it throws. */
    private void leaves() throws Exception {
        BreakpointRequest stop = session.stopIn("left", 1);
        int[] steps = new int[2];
        int[] stops = new int[2];
        boolean[] done = new boolean[2];
        while (!done[0] || !done[1]) {
            ThreadReference thread = session.await(BreakpointEvent.class).thread();
            StackFrame frame = thread.frame(0);
            int throwing = ((IntegerValue) frame.getValue(frame.visibleVariableByName("n"))).value() % 2;
            if (!done[throwing]) {
                int behind = 0;
                for (int n = 0; n < steps[throwing]; n++) {
                    boolean throwsNow = opcode(thread) == ATHROW;
                    step(thread);
                    behind = throwsNow || behind > 0 ? behind + 1 : 0;
                }
                steps[throwing]++;
                done[throwing] = !thread.frame(0).location().method().name().equals("left");
                boolean isWatched = behind == 0 || behind > UNWATCHED;
                if (!done[throwing] && isWatched) {
                    stops[throwing]++;
                    thread.stop(error());
                }
            }
            session.vm.resume();
        }
        stop.disable();
        System.out.println("left " + stops[0] + " " + stops[1]);
    }

    /** Of the instruction that is next. */
    private static int opcode(ThreadReference thread) throws Exception {
        Location at = thread.frame(0).location();
        return at.method().bytecodes()[(int) at.codeIndex()] & 0xFF;
    }

    /** Lets the thread run one instruction, and what that calls. */
    private void step(ThreadReference thread) throws Exception {
        StepRequest step = session.vm.eventRequestManager()
                .createStepRequest(thread, StepRequest.STEP_MIN, StepRequest.STEP_OVER);
        step.enable();
        session.vm.resume();
        session.await(StepEvent.class);
        session.vm.eventRequestManager().deleteEventRequest(step);
    }

    private ObjectReference error() {
        return (ObjectReference) session.program.getValue(session.program.fieldByName("STRUCK"));
    }

    /** Does an activation stand that catches the error, below the method that is entered? */
    private static boolean isCaught(ThreadReference thread) throws Exception {
        int catches = 0;
        for (StackFrame frame : thread.frames()) {
            if (frame.location().method().name().equals("struck")) catches++;
        }
        return catches > 1;
    }

    /** Once in the innermost activation, and once in its caller. */
    private void drops(boolean pops) throws Exception {
        BreakpointRequest stop = session.stopIn("dropped", 1);
        int drops = 0;
        while (drops < 2) {
            ThreadReference thread = session.await(BreakpointEvent.class).thread();
            StackFrame frame = thread.frame(0);
            if (((IntegerValue) frame.getValue(frame.visibleVariableByName("n"))).value() == drops) {
                drops++;
                if (pops) thread.popFrames(frame);
                else thread.forceEarlyReturn(session.vm.mirrorOf(7));
            }
            session.vm.resume();
        }
        stop.disable();
        System.out.println("dropped " + drops);
    }
}
