package org.lucce.gradle;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.JavaExec;
import org.gradle.api.tasks.testing.Test;
import org.lucce.tools.BuildFolder;

/**
 * The plugin {@code org.lucce}: the agent on tests and runs, a report of what they did, and what
 * changed since other logs.
 *
 * <p>Invariant: it uses only what Gradle 4.4 has and current Gradle keeps, and tasks hold no
 * project, as the configuration cache asks.
 */
public class LuccePlugin implements Plugin<Project> {
    /** The configuration with the jar lucce-agent, and what the extensions are called. */
    private static final String AGENT = "lucceAgent";
    private static final String NAME = "lucce";

    private static final String GROUP = "Lucce";
    private static final String COORDINATES = "/META-INF/maven/org.lucce/lucce-gradle-plugin/pom.properties";

    /** Applies it. */
    @Override
    public void apply(Project project) {
        LucceExtension lucce = project.getExtensions().create(NAME, LucceExtension.class);
        Configuration jar = project.getConfigurations().create(AGENT);
        jar.setDescription("The jar lucce-agent, which holds the agent and its decoder.");
        jar.setCanBeConsumed(false);
        jar.setTransitive(false);
        jar.defaultDependencies(agents -> agents.add(project.getDependencies().create("org.lucce:lucce-agent:" + version())));
        FileCollection agent = project.files(jar);
        Provider<Directory> folder = project.getLayout().getBuildDirectory().dir("lucce");

        project.getTasks().withType(Test.class, test -> {
            record(project, test, new LucceTaskExtension(lucce::getTestOptions), agent, folder);
            test.getOutputs().dir(folder.map(own -> own.dir(BuildFolder.logsOf(test.getName())))).withPropertyName("lucceLogs");
        });
        project.getTasks().withType(JavaExec.class, run -> record(project, run, new LucceTaskExtension(lucce::getRunOptions), agent, folder));

        project.getTasks().create("lucceReport", LucceReport.class, report -> {
            report.setGroup(GROUP);
            report.setDescription("Writes an HTML file of what each task under the Lucce agent has recorded.");
            report.from(agent, folder);
            report.setReports(project.getLayout().getBuildDirectory().dir("reports/lucce"));
            follow(project, report);
        });
        project.getTasks().create("lucceDiff", LucceDiff.class, diff -> {
            diff.setGroup(GROUP);
            diff.setDescription("Says what changed from a log (-PlucceOld, or 'kept') to another (-PlucceNew, or that of the tests).");
            diff.from(agent, folder);
            diff.setOld(project.provider(() -> given(project, "lucceOld", lucce.getKept())));
            diff.setLater(project.provider(() -> given(project, "lucceNew", "")));
            diff.setRules(project.provider(lucce::getFailOn));
            follow(project, diff);
        });
    }

    /** Puts the agent on a task, if it has options when it runs. */
    private static void record(Project project, Task task, LucceTaskExtension own, FileCollection agent, Provider<Directory> folder) {
        task.getExtensions().add(NAME, own);
        Provider<String> options = project.provider((Callable<String>) own::getOptions);
        task.getInputs().property("lucceOptions", options);
        task.getInputs().files(agent).withPropertyName("lucceAgent");
        task.doFirst(new PutAgent(options, agent, folder));
    }

    /** Where both are asked for, what reads logs comes behind what writes them. */
    private static void follow(Project project, Task reader) {
        reader.mustRunAfter(project.getTasks().withType(Test.class), project.getTasks().withType(JavaExec.class));
    }

    private static String given(Project project, String property, String otherwise) {
        Object value = project.findProperty(property);
        return value == null ? otherwise : value.toString();
    }

    /** Of this plugin, and so of the agent. */
    private static String version() {
        try (InputStream from = LuccePlugin.class.getResourceAsStream(COORDINATES)) {
            Properties coordinates = new Properties();
            coordinates.load(from);
            return coordinates.getProperty("version");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
