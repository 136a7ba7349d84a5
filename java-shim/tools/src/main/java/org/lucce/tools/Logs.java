package org.lucce.tools;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The logs of one task or goal: a folder with a log for each JVM that it has started.
 *
 * <p>Invariant: what the agent gets as options names a log in this folder and no other, so that
 * reports find it.
 */
public final class Logs {
    /** What a pattern of the decoder ends in. */
    private static final String ALL = "*.log";

    private final Path folder;

    /**
     * A folder.
     *
     * @param folder need not be there
     */
    public Logs(File folder) {
        this.folder = folder.toPath().toAbsolutePath().normalize();
    }

    /** What was recorded below a folder: the logs of each task that has some, by its name. */
    public static List<Logs> below(File folder) throws IOException {
        List<Logs> found = new ArrayList<>();
        if (folder.isDirectory()) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(folder.toPath(), Files::isDirectory)) {
                for (Path child : children) {
                    Logs logs = new Logs(child.toFile());
                    if (!logs.files().isEmpty()) {
                        found.add(logs);
                    }
                }
            }
        }
        found.sort((one, other) -> one.name().compareTo(other.name()));
        return found;
    }

    /** The name of the task. */
    public String name() {
        return folder.getFileName().toString();
    }

    /** All of them, as the decoder takes them. */
    public String pattern() {
        return folder.resolve(ALL).toString();
    }

    /** Each of them. */
    public List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> logs = Files.newDirectoryStream(folder, ALL)) {
                logs.forEach(files::add);
            }
        }
        Collections.sort(files);
        return files;
    }

    /** Makes the folder. */
    public Logs make() throws IOException {
        Files.createDirectories(folder);
        return this;
    }

    /** Removes the logs of an earlier run. */
    public Logs empty() throws IOException {
        for (Path file : files()) {
            Files.delete(file);
        }
        return this;
    }

    /**
     * The JVM's option.
     *
     * @param library the agent's library
     * @param options the agent's options, without {@code file}
     * @param name the name of a log, without its ending; {@code %p} is the number of the process
     */
    public String agent(Path library, String options, String name) throws IOException {
        if (Arrays.stream(options.split(",")).anyMatch(option -> option.trim().startsWith("file="))) {
            throw new IOException("leave file= out of '" + options + "': the logs are in " + folder);
        }
        String file = folder.toString().replace("%", "%%") + File.separator + name + ".log";
        String path = library.toAbsolutePath().normalize().toString();
        if (path.indexOf('=') >= 0 || file.indexOf(',') >= 0) {
            throw new IOException("-agentpath takes no path with '=', and no log with ',' in its path: " + path + ", " + file);
        }
        return "-agentpath:" + path + "=file=" + file + (options.isEmpty() ? "" : "," + options);
    }
}
