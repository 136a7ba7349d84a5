package debugger;

import com.sun.jdi.BooleanValue;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.IntegerValue;
import com.sun.jdi.Location;
import com.sun.jdi.StackFrame;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.StepRequest;
import java.util.Map;

/** A debugger: attaches to a port, stops where `Beside.marked` begins, steps, reads locals and frames, and lets the program go. */
public final class Breakpoint {
    private Breakpoint() {}

    public static void main(String[] arguments) throws Exception {
        AttachingConnector socket = null;
        for (AttachingConnector one : Bootstrap.virtualMachineManager().attachingConnectors()) {
            if (one.transport().name().equals("dt_socket")) socket = one;
        }
        Map<String, Connector.Argument> how = socket.defaultArguments();
        how.get("hostname").setValue("127.0.0.1");
        how.get("port").setValue(arguments[0]);
        VirtualMachine vm = socket.attach(how);
        while (vm.classesByName("hazards.Beside").isEmpty()) Thread.sleep(20);
        ClassType beside = (ClassType) vm.classesByName("hazards.Beside").get(0);
        Location start = beside.methodsByName("marked").get(0).location();
        BreakpointRequest stop = vm.eventRequestManager().createBreakpointRequest(start);
        stop.enable();

        BreakpointEvent hit = await(vm, BreakpointEvent.class);
        stop.disable();
        show(hit.thread().frame(0));
        StepRequest step = vm.eventRequestManager()
                .createStepRequest(hit.thread(), StepRequest.STEP_LINE, StepRequest.STEP_OVER);
        step.addCountFilter(1);
        step.enable();
        vm.resume();

        StepEvent stepped = await(vm, StepEvent.class);
        StackFrame frame = stepped.thread().frame(0);
        show(frame);
        int n = ((IntegerValue) frame.getValue(frame.visibleVariableByName("n"))).value();
        int twice = ((IntegerValue) frame.getValue(frame.visibleVariableByName("twice"))).value();
        System.out.println(twice == 2 * n ? "locals are right" : n + " and " + twice);
        System.out.println("called by " + stepped.thread().frame(1).location().method().name());
        BooleanValue yes = vm.mirrorOf(true);
        beside.setValue(beside.fieldByName("released"), yes);
        vm.dispose();
    }

    private static void show(StackFrame frame) {
        System.out.println(frame.location().method().name() + ":" + frame.location().lineNumber());
    }

    private static <T extends Event> T await(VirtualMachine vm, Class<T> kind) throws InterruptedException {
        while (true) {
            EventSet events = vm.eventQueue().remove(20_000);
            if (events == null) throw new IllegalStateException("no " + kind.getSimpleName());
            for (Event event : events) {
                if (kind.isInstance(event)) return kind.cast(event);
            }
            events.resume();
        }
    }
}
