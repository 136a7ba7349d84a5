package budgets;

import java.io.PrintStream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the tests of these classes, and prints how each ended: its name, SUCCESSFUL, FAILED or ABORTED, and the message, whose lines are indented. */
public final class Runner {
    private Runner() {}

    public static void main(String[] args) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (String name : args) request.selectors(DiscoverySelectors.selectClass(name));
        LauncherDiscoveryRequest built = request.build();
        PrintStream out = System.out;
        LauncherFactory.create().execute(built, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (!test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) return;
                String message = result.getThrowable().map(Throwable::toString).orElse("");
                synchronized (out) {
                    out.println(test.getDisplayName() + " " + result.getStatus() + " " + message.replace("\n", "\n  "));
                }
            }
        });
    }
}
