package org.lucce.maven;

import java.io.IOException;
import java.util.Properties;
import org.lucce.tools.Logs;

/**
 * The goal {@code prepare-agent}: a property of the project begins with the agent's option, for
 * what starts JVMs.
 *
 * <p>Invariant: what the property said before stays behind it. Logs stay until the next JVM of that
 * name: the agent then renames them.
 */
public class PrepareMojo extends LucceMojo {
    /** For the folder of logs, and for the report. */
    private String name;

    private String options;
    private String property;
    private Properties properties;

    /** The name of a log. Surefire and failsafe put the number of each JVM there. */
    String log() {
        return "${surefire.forkNumber}";
    }

    @Override
    final void work() throws IOException {
        Logs logs = own().logs(name).make();
        String agent = quoted(logs.agent(agent().library(), options == null ? "" : options.trim(), log()));
        String before = properties.getProperty(property, "");
        // A goal such as spring-boot:run has the phase of this one run again.
        if (!before.startsWith(agent)) {
            properties.setProperty(property, before.isEmpty() ? agent : agent + " " + before);
        }
        getLog().info(property + " is " + properties.getProperty(property));
    }

    /** What names the property finds it. */
    @Override
    void leave() {
        properties.putIfAbsent(property, "");
    }

    /** As surefire and others take a command line apart. */
    private static String quoted(String argument) throws IOException {
        if (argument.indexOf('"') >= 0) {
            throw new IOException("no option of the agent's can have a quotation mark: " + argument);
        }
        return argument.chars().anyMatch(Character::isWhitespace) ? '"' + argument + '"' : argument;
    }
}
