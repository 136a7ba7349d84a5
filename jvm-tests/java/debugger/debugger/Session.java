package debugger;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import java.util.Map;

/** A debugger's connection to a program that it lets go in the end. */
final class Session {
    final VirtualMachine vm;
    final ClassType program;

    /** Attaches to a port, and waits for the program's class. */
    Session(String port, String program) throws Exception {
        AttachingConnector socket = null;
        for (AttachingConnector one : Bootstrap.virtualMachineManager().attachingConnectors()) {
            if (one.transport().name().equals("dt_socket")) socket = one;
        }
        Map<String, Connector.Argument> how = socket.defaultArguments();
        how.get("hostname").setValue("127.0.0.1");
        how.get("port").setValue(port);
        vm = socket.attach(how);
        while (vm.classesByName(program).isEmpty()) Thread.sleep(20);
        this.program = (ClassType) vm.classesByName(program).get(0);
    }

    /** A breakpoint at a line of a method, counted from its first. */
    BreakpointRequest stopIn(String method, int line) throws Exception {
        BreakpointRequest stop = vm.eventRequestManager()
                .createBreakpointRequest(program.methodsByName(method).get(0).allLineLocations().get(line));
        stop.enable();
        return stop;
    }

    /** The next event of that kind; the program stands still then. */
    <T extends Event> T await(Class<T> kind) throws InterruptedException {
        while (true) {
            EventSet events = vm.eventQueue().remove(120_000);
            if (events == null) throw new IllegalStateException("no " + kind.getSimpleName());
            for (Event event : events) {
                if (kind.isInstance(event)) return kind.cast(event);
            }
            events.resume();
        }
    }

    /** The program ends by itself. */
    void release() throws Exception {
        program.setValue(program.fieldByName("released"), vm.mirrorOf(true));
        vm.dispose();
    }
}
