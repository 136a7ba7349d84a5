package org.lucce.maven;

import java.io.File;
import java.io.IOException;
import org.lucce.tools.Decoder;

/** The goal {@code report}: an HTML file of each name that has logs. */
public final class ReportMojo extends LucceMojo {
    private File project;
    private File reports;

    @Override
    void work() throws IOException, InterruptedException {
        new Decoder(agent(), project, getLog()::info).report(own().recorded(), reports);
    }
}
