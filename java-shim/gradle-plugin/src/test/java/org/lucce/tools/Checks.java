package org.lucce.tools;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** What both plugins do without a build tool: unpacking, and the agent's option. */
public final class Checks {
    private Checks() {}

    /** Takes a folder that it may write to. */
    public static void main(String[] arguments) throws IOException {
        unpacks(new File(arguments[0], "unpacked"));
        names(new File(arguments[0], "100%"));
        refuses(arguments[0]);
        finds(new File(arguments[0], "found"));
    }

    private static void unpacks(File folder) throws IOException {
        File jar = new File(folder.getPath() + ".jar");
        pack(jar, "one");
        Path library = new AgentJar(jar, folder).library();
        expect("one", Files.readString(library));
        expect(true, Files.isExecutable(library));
        Object first = Files.getAttribute(library, "unix:ino");
        new AgentJar(jar, folder).library();
        expect(first, Files.getAttribute(library, "unix:ino"));
        // Another file: a JVM may have mapped the first one.
        pack(jar, "two");
        expect("two", Files.readString(new AgentJar(jar, folder).library()));
        expect(false, first.equals(Files.getAttribute(library, "unix:ino")));
        expect(List.of("liblucce.so"), List.of(folder.list()));
    }

    private static void names(File folder) throws IOException {
        String file = folder.getAbsoluteFile().toPath().normalize() + "/%p.log";
        String option = new Logs(folder).agent(Path.of("/l.so"), "locks", "%p");
        expect("-agentpath:/l.so=file=" + file.replace("100%", "100%%") + ",locks", option);
    }

    private static void refuses(String folder) {
        refuse(() -> new Logs(new File(folder)).agent(Path.of("/l.so"), "locks, file=x", "1"), "leave file= out");
        refuse(() -> new Logs(new File(folder)).agent(Path.of("/a=b/l.so"), "", "1"), "takes no path with '='");
        refuse(() -> new Logs(new File(folder, "a,b")).agent(Path.of("/l.so"), "", "1"), "no log with ','");
        refuse(() -> new AgentJar(new File(folder, "unpacked.jar"), new File(folder, "unpacked")).decoder(), "was built without");
    }

    private static void finds(File folder) throws IOException {
        for (String name : List.of("test/2.log", "test/1.log", "test/1.log.1", "run/1.log", "none/x")) {
            Path file = folder.toPath().resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, new byte[1]);
        }
        List<Logs> found = Logs.below(folder);
        expect(2, found.size());
        expect("run", found.get(0).name());
        expect(2, found.get(1).files().size());
        expect(List.of(), found.get(1).empty().files());
        expect(1, new Logs(new File(folder, "run")).files().size());
    }

    /** A jar as lucce-agent is, with this text in place of each library. */
    public static void pack(File jar, String text) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(jar))) {
            for (String architecture : List.of("x86_64", "aarch64")) {
                zip.putNextEntry(new ZipEntry("org/lucce/agent/" + architecture + "/liblucce.so"));
                zip.write(text.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void refuse(Step step, String why) {
        try {
            step.run();
        } catch (IOException error) {
            expect(true, error.getMessage().contains(why));
            return;
        }
        throw new AssertionError("not refused: " + why);
    }

    /** Fails unless these are equal. */
    public static void expect(Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }
}
