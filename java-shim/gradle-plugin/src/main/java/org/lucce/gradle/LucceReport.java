package org.lucce.gradle;

import java.io.IOException;
import org.gradle.api.file.Directory;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.TaskAction;

/** Writes {@code build/reports/lucce/<task>.html} for each task that has recorded something. */
public class LucceReport extends LucceReader {
    private Provider<Directory> reports;

    /** Where the files go. */
    @OutputDirectory
    public Provider<Directory> getReports() {
        return reports;
    }

    /** Changes it. */
    public void setReports(Provider<Directory> folder) {
        reports = folder;
    }

    /** Does it. */
    @TaskAction
    public void report() throws IOException, InterruptedException {
        decoder().report(own().recorded(), reports.get().getAsFile());
    }
}
