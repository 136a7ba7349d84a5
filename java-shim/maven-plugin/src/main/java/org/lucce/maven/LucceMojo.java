package org.lucce.maven;

import java.io.File;
import java.io.IOException;
import java.util.Map;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.lucce.tools.AgentJar;
import org.lucce.tools.BuildFolder;

/**
 * What the goals share: where Lucce's files are, and on which machines a goal does something.
 *
 * <p>Invariant: the agent is the jar lucce-agent that Maven has resolved for this plugin. Maven
 * sets the fields, as {@code META-INF/maven/plugin.xml} says.
 */
abstract class LucceMojo extends AbstractMojo {
    private static final String AGENT = "org.lucce:lucce-agent";

    /** Leaves it all out. */
    private boolean skip;
    /** Lucce's folder below that of the build. */
    private File folder;
    private Map<String, Artifact> artifacts;

    @Override
    public final void execute() throws MojoExecutionException {
        if (skip) {
            getLog().info("lucce.skip is set");
            leave();
        } else if (!AgentJar.isForThisMachine()) {
            getLog().warn("nothing is recorded: " + AgentJar.ELSEWHERE);
            leave();
        } else {
            try {
                work();
            } catch (IOException error) {
                throw new MojoExecutionException(error.getMessage(), error);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw new MojoExecutionException("interrupted", error);
            }
        }
    }

    /** What is done where the agent is not. */
    void leave() {}

    abstract void work() throws IOException, InterruptedException;

    /** The jar with agent and decoder. */
    AgentJar agent() throws IOException {
        Artifact agent = artifacts.get(AGENT);
        if (agent == null || agent.getFile() == null) {
            throw new IOException(AGENT + " is not among the dependencies of this plugin");
        }
        return own().agent(agent.getFile());
    }

    /** Lucce's folder, as it is laid out. */
    BuildFolder own() {
        return new BuildFolder(folder);
    }
}
