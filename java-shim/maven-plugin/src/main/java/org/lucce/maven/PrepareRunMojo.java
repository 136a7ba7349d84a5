package org.lucce.maven;

/** The goal {@code prepare-run}: as {@code prepare-agent}, for what starts one JVM at a time. */
public final class PrepareRunMojo extends PrepareMojo {
    @Override
    String log() {
        return "1";
    }
}
