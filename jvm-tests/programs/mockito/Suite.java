import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the tests, and prints how many there were. */
public final class Suite {
    private Suite() {}

    public static void main(String[] args) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(SuiteTest.class)).build(), listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.getFailures().forEach(failure -> failure.getException().printStackTrace(System.out));
        System.out.println(summary.getTestsSucceededCount() + " of " + summary.getTestsFoundCount());
    }
}
