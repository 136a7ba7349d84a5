package org.lucce.gradle;

import java.io.File;
import java.io.IOException;
import org.gradle.api.DefaultTask;
import org.gradle.api.Task;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.lucce.tools.AgentJar;
import org.lucce.tools.BuildFolder;
import org.lucce.tools.Decoder;

/**
 * A task that has the decoder read logs.
 *
 * <p>Invariant: it is never up to date, since a program may write logs at any time.
 */
public abstract class LucceReader extends DefaultTask {
    private final File projectFolder = getProject().getProjectDir();
    private FileCollection agent;
    private Provider<Directory> folder;

    /** Reads nothing yet. */
    protected LucceReader() {
        getOutputs().upToDateWhen(task -> false);
        onlyIf(LucceReader::canRead);
    }

    /** Elsewhere there is no decoder, nor anything to read. */
    private static boolean canRead(Task task) {
        if (!AgentJar.isForThisMachine()) {
            task.getLogger().warn("lucce: {} does nothing: {}", task.getName(), AgentJar.ELSEWHERE);
        }
        return AgentJar.isForThisMachine();
    }

    /** The jar lucce-agent. */
    @InputFiles
    public FileCollection getAgent() {
        return agent;
    }

    /** Lucce's folder below that of the build. */
    @Internal
    public Provider<Directory> getFolder() {
        return folder;
    }

    /** Says where decoder and logs are. */
    void from(FileCollection jar, Provider<Directory> lucce) {
        agent = jar;
        folder = lucce;
    }

    /** The same, as it is laid out. */
    BuildFolder own() {
        return new BuildFolder(folder.get().getAsFile());
    }

    /** It runs in the project's folder, and prints what it has to say where Gradle does. */
    Decoder decoder() throws IOException {
        return new Decoder(own().agent(agent.getSingleFile()), projectFolder, getLogger()::quiet);
    }
}
