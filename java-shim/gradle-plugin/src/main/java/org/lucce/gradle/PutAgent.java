package org.lucce.gradle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.gradle.api.Action;
import org.gradle.api.Task;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.process.JavaForkOptions;
import org.lucce.tools.AgentJar;
import org.lucce.tools.BuildFolder;

/**
 * The first action of a task that starts JVMs: it unpacks the agent and gives them its option.
 *
 * <p>Invariant: it comes before the JVMs do, and the folder of logs then has none of an earlier
 * run.
 */
final class PutAgent implements Action<Task> {
    private final Provider<String> options;
    private final FileCollection agent;
    private final Provider<Directory> folder;

    PutAgent(Provider<String> options, FileCollection agent, Provider<Directory> folder) {
        this.options = options;
        this.agent = agent;
        this.folder = folder;
    }

    @Override
    public void execute(Task task) {
        String given = options.get();
        if (given.isEmpty()) {
            return;
        }
        if (!AgentJar.isForThisMachine()) {
            task.getLogger().warn("lucce: {} runs without the agent: {}", task.getName(), AgentJar.ELSEWHERE);
            return;
        }
        BuildFolder own = new BuildFolder(folder.get().getAsFile());
        try {
            Path library = own.agent(agent.getSingleFile()).library();
            ((JavaForkOptions) task).jvmArgs(own.logs(task.getName()).make().empty().agent(library, given, "%p"));
        } catch (IOException error) {
            throw new UncheckedIOException(error.getMessage(), error);
        }
    }
}
