package org.lucce.maven;

import java.io.File;
import java.io.IOException;
import java.util.List;
import org.lucce.tools.Decoder;

/**
 * The goal {@code diff}: what changed from one log to another; a rule that forbids it fails the
 * build. Both can be patterns of several logs.
 */
public final class DiffMojo extends LucceMojo {
    private File project;
    private String old;
    private String later;
    private List<String> failOn;

    @Override
    void work() throws IOException, InterruptedException {
        if (old == null || old.isEmpty()) {
            throw new IOException("name the log to compare with: -Dlucce.old=<log>");
        }
        String tests = own().tests().pattern();
        new Decoder(agent(), project, getLog()::info).diff(old, later == null ? tests : later, failOn == null ? List.of() : failOn);
    }
}
