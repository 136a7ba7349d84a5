package org.lucce.gradle;

import static org.lucce.tools.Checks.expect;
import static org.lucce.tools.Checks.pack;

import java.io.File;
import java.io.IOException;
import java.util.List;
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
        File jar = new File(folder, "agent.jar");
        pack(jar, "library");
        project.getDependencies().add("lucceAgent", project.files(jar));
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
}
