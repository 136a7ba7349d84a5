package org.lucce.tools;

import java.io.File;

/**
 * Lucce's folder below that of a build: what was unpacked, and a folder of logs for each task.
 *
 * <p>Invariant: both plugins lay it out alike. Source: docs/guide/build-tools.md.
 */
public final class BuildFolder {
    private static final String LOGS = "logs";
    private static final String UNPACKED = "agent";
    /** The task whose logs are compared, unless others are named. */
    private static final String TESTS = "test";

    private final File folder;

    /**
     * A folder.
     *
     * @param folder need not be there
     */
    public BuildFolder(File folder) {
        this.folder = folder;
    }

    /** Where the logs of a task are, from this folder. */
    public static String logsOf(String task) {
        return LOGS + "/" + task;
    }

    /** The agent and its decoder, to be unpacked from the jar lucce-agent. */
    public AgentJar agent(File jar) {
        return new AgentJar(jar, new File(folder, UNPACKED));
    }

    /** The folder with a folder of logs for each task. */
    public File recorded() {
        return new File(folder, LOGS);
    }

    /** The logs of a task. */
    public Logs logs(String task) {
        return new Logs(new File(folder, logsOf(task)));
    }

    /** The logs of the tests. */
    public Logs tests() {
        return logs(TESTS);
    }
}
