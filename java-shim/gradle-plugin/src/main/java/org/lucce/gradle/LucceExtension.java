package org.lucce.gradle;

import java.util.ArrayList;
import java.util.List;

/**
 * What a build says of Lucce: {@code lucce { testOptions = 'alloc=all' }}. Options are those of the
 * agent, without {@code file}.
 *
 * <p>Invariant: a task without options runs without the agent. Source: docs/guide/build-tools.md.
 */
public class LucceExtension {
    private String testOptions = "alloc=all";
    private String runOptions = "alloc=512k";
    private String kept = "";
    private List<String> failOn = new ArrayList<>();

    /** For each task of the type {@code Test}. */
    public String getTestOptions() {
        return testOptions;
    }

    /** Changes them; empty is without the agent. */
    public void setTestOptions(String options) {
        testOptions = options;
    }

    /** For each task of the type {@code JavaExec}. */
    public String getRunOptions() {
        return runOptions;
    }

    /** Changes them; empty is without the agent. */
    public void setRunOptions(String options) {
        runOptions = options;
    }

    /**
     * The log that {@code lucceDiff} compares with: a path from the project's folder, or a pattern
     * of several.
     */
    public String getKept() {
        return kept;
    }

    /** Changes it. */
    public void setKept(String log) {
        kept = log;
    }

    /** Rules of {@code lucce-decode diff --fail-on}, such as {@code alloc.count>+0}. */
    public List<String> getFailOn() {
        return failOn;
    }

    /** Changes them. */
    public void setFailOn(List<String> rules) {
        failOn = rules;
    }
}
