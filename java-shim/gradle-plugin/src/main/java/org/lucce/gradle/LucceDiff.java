package org.lucce.gradle;

import java.io.IOException;
import java.util.List;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.TaskAction;

/**
 * Prints what changed from one log to another, and fails where a rule forbids that. Both can be
 * patterns of several logs.
 */
public class LucceDiff extends LucceReader {
    private Provider<String> old;
    private Provider<String> later;
    private Provider<List<String>> rules;

    /** The log to compare with. */
    @Input
    public Provider<String> getOld() {
        return old;
    }

    /** Changes it. */
    public void setOld(Provider<String> log) {
        old = log;
    }

    /** The later log; that of the tests if it is empty. */
    @Input
    public Provider<String> getLater() {
        return later;
    }

    /** Changes it. */
    public void setLater(Provider<String> log) {
        later = log;
    }

    /** What must not have changed, as {@code lucce-decode diff --fail-on} takes it. */
    @Input
    public Provider<List<String>> getRules() {
        return rules;
    }

    /** Changes them. */
    public void setRules(Provider<List<String>> all) {
        rules = all;
    }

    /** Does it. */
    @TaskAction
    public void diff() throws IOException, InterruptedException {
        if (old.get().isEmpty()) {
            throw new GradleException("name the log to compare with: -PlucceOld=<log>, or lucce { kept = '<log>' }");
        }
        decoder().diff(old.get(), later.get().isEmpty() ? own().tests().pattern() : later.get(), rules.get());
    }
}
