package org.lucce.gradle;

import java.util.function.Supplier;

/**
 * What a build says of Lucce in one task: {@code test { lucce.options = 'alloc=all,locks' }}.
 *
 * <p>Invariant: what is said here counts, and what is said for all such tasks where nothing is said
 * here.
 */
public class LucceTaskExtension {
    private Supplier<String> options;

    LucceTaskExtension(Supplier<String> usual) {
        options = usual;
    }

    /** The agent's options. */
    public String getOptions() {
        String said = options.get();
        return said == null ? "" : said.trim();
    }

    /** Changes them; empty is without the agent. */
    public void setOptions(String own) {
        options = () -> own;
    }
}
