package org.lucce.gradle;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.tasks.JavaExec;
import org.gradle.api.tasks.testing.Test;
import org.gradle.process.JavaForkOptions;
import org.gradle.testfixtures.ProjectBuilder;
import org.gradle.util.GradleVersion;

/**
 * The plugin in a project of a current Gradle: what its tasks hand to JVMs. No build runs, since no
 * distribution of Gradle is fetched.
 */
final class InCurrentGradle {
    private InCurrentGradle() {}

    /** Takes a folder that it may write to. Gradle's threads would go on, so it ends the JVM. */
    public static void main(String[] arguments) {
        int status = 1;
        try {
            works(new File(arguments[0]));
            status = 0;
        } catch (Throwable error) {
            error.printStackTrace();
        } finally {
            System.exit(status);
        }
    }

    private static void works(File folder) throws IOException {
        Project project = ProjectBuilder.builder().withProjectDir(folder).build();
        project.getPluginManager().apply("java");
        project.getPluginManager().apply("org.lucce");
        project.getDependencies().add("lucceAgent", project.files(jar(folder)));
        LucceExtension lucce = project.getExtensions().getByType(LucceExtension.class);

        Test test = (Test) project.getTasks().getByName("test");
        String logs = folder.getCanonicalPath() + "/build/lucce/logs/";
        expect(List.of(agent(folder) + "=file=" + logs + "test/%p.log,alloc=all"), begun(test));

        JavaExec run = project.getTasks().create("run", JavaExec.class);
        lucce.setRunOptions("locks");
        expect(List.of(agent(folder) + "=file=" + logs + "run/%p.log,locks"), begun(run));

        JavaExec plain = project.getTasks().create("plain", JavaExec.class);
        ((LucceTaskExtension) plain.getExtensions().getByName("lucce")).setOptions("");
        expect(List.of(), begun(plain));

        for (String reader : List.of("lucceReport", "lucceDiff")) {
            expect(true, project.getTasks().getByName(reader).getMustRunAfter().getDependencies(null).containsAll(List.of(test, run)));
        }
        System.out.println("the plugin works in Gradle " + GradleVersion.current().getVersion());
    }

    /** The arguments for the JVM of a task whose first action is done. */
    private static List<String> begun(Task task) {
        Action<? super Task> first = task.getActions().get(0);
        first.execute(task);
        return ((JavaForkOptions) task).getJvmArgs();
    }

    private static String agent(File folder) throws IOException {
        return "-agentpath:" + folder.getCanonicalPath() + "/build/lucce/agent/liblucce.so";
    }

    /** One as lucce-agent is, with a file in place of each library. */
    private static File jar(File folder) throws IOException {
        File jar = new File(folder, "agent.jar");
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(jar))) {
            for (String architecture : List.of("x86_64", "aarch64")) {
                zip.putNextEntry(new ZipEntry("org/lucce/agent/" + architecture + "/liblucce.so"));
                zip.write(architecture.getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    private static void expect(Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }
}
