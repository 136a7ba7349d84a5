package org.lucce.tools;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The decoder that the jar lucce-agent holds, run by a build.
 *
 * <p>Invariant: each line that it prints goes to the build, and any status but 0 ends the build's
 * step. Source: docs/guide/decoder.md.
 */
public final class Decoder {
    private final Path program;
    private final Path folder;
    private final Consumer<String> printed;

    /**
     * A decoder.
     *
     * @param jar what it comes from
     * @param folder where it runs, to which the paths of logs are relative
     * @param printed takes each line
     */
    public Decoder(AgentJar jar, File folder, Consumer<String> printed) throws IOException {
        this.program = jar.decoder();
        this.folder = folder.toPath();
        this.printed = printed;
    }

    /**
     * Writes one HTML file for each task that has logs.
     *
     * @param recorded the folder with the folders of logs
     * @param reports where the files go
     */
    public void report(File recorded, File reports) throws IOException, InterruptedException {
        List<Logs> all = Logs.below(recorded);
        if (all.isEmpty()) {
            throw new IOException("there is no log in " + recorded + ": run the tests or the program first");
        }
        Files.createDirectories(reports.toPath());
        for (Logs logs : all) {
            Path file = reports.toPath().resolve(logs.name() + ".html");
            run(List.of("report", logs.pattern(), "-o", file.toString()));
        }
    }

    /**
     * Says what changed.
     *
     * @param old a log, or a pattern of logs
     * @param later likewise
     * @param rules what must not have changed
     */
    public void diff(String old, String later, List<String> rules) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("diff", old, later));
        for (String rule : rules) {
            arguments.addAll(List.of("--fail-on", rule));
        }
        run(arguments);
    }

    private void run(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                printed.accept(line);
            }
        }
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException("lucce-decode " + arguments.get(0) + " ended with status " + status);
        }
    }
}
