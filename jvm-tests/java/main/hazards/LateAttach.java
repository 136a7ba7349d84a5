package hazards;

import com.sun.tools.attach.VirtualMachine;

/** Loads the agent into its own running JVM. It records from there on, and answers what the program asks of {@code Lucce}. */
public final class LateAttach {
    private LateAttach() {}

    public static void main(String[] args) throws Exception {
        VirtualMachine self = VirtualMachine.attach(String.valueOf(ProcessHandle.current().pid()));
        try {
            self.loadAgentPath(args[0], "verify=1");
        } catch (com.sun.tools.attach.AgentInitializationException e) {
            // An agent may refuse; the JVM goes on either way.
            System.err.println(e.getMessage());
        } finally {
            self.detach();
        }
        Check.here();
        System.out.println("active: " + org.lucce.Lucce.active());
    }
}
