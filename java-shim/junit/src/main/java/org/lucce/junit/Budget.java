package org.lucce.junit;

import java.util.Optional;
import org.opentest4j.TestAbortedException;

/** What a test is held to. */
interface Budget {
    /**
     * Why it does not hold; empty if it does.
     *
     * @throws TestAbortedException if what it is about was not counted
     */
    Optional<String> check(Counts counts);

    /** The budget cannot be checked where the agent does not count this. */
    static void needs(boolean isCounted, String option) {
        if (!isCounted) throw new TestAbortedException("not counted: give the agent the option " + option);
    }
}
