package leaks;

import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** A leak of very many small objects. It says how many, and how many weak references native code has held at most. */
public final class Flood extends Service {
    private static final Collection<long[]> KEPT = new ArrayDeque<>();
    private static final int EACH = 25;
    private static final Pattern WEAK = Pattern.compile("JNI global refs: \\d+, weak refs: (\\d+)");
    private static int most;

    private static long[] row(int request) {
        long[] row = new long[12];
        row[0] = request;
        return row;
    }

    @Override
    void handle(int request) throws Exception {
        for (int n = 0; n < EACH; n++) KEPT.add(row(request));
        if (request % 100 == 99) most = Math.max(most, weak());
    }

    /** As the JVM counts them at the end of a dump of all threads. */
    private static int weak() throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        Object dump = beans.invoke(commands, "threadPrint", new Object[] {new String[0]}, new String[] {String[].class.getName()});
        Matcher found = WEAK.matcher((String) dump);
        if (!found.find()) throw new IllegalStateException("no weak references in " + dump);
        return Integer.parseInt(found.group(1));
    }

    public static void main(String[] args) throws Exception {
        new Flood().run();
        System.out.println(KEPT.size() + " objects were kept, weak references at most " + most);
    }
}
