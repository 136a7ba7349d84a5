import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * Links classes and prints one line each: name, tab, "ok" or the error's class and first line.
 *
 * <pre>
 * dump DIR PART        writes the classes of the running JDK whose path contains PART to DIR/module/...
 * link DIR JARS        links every class below DIR through a class loader of its own
 * redefine DIR         as an agent: lets the JVM verify every DIR/module/... as a new version of that class,
 *                      without installing it: the second class of each request cannot be redefined
 * </pre>
 */
public final class Link {
    /** Never redefined: its new version has another name. */
    static final class Poison { }

    /** Defines classes as they are, without the signers of their jar: a rewritten class has lost its signature. */
    private static final class Unsigned extends ClassLoader {
        private final URLClassLoader files;

        Unsigned(URL[] urls) {
            super(ClassLoader.getSystemClassLoader().getParent());
            files = new URLClassLoader(urls, null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (InputStream in = files.getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException error) {
                throw new ClassNotFoundException(name, error);
            }
        }
    }

    private static Instrumentation instrumentation;

    public static void premain(String args, Instrumentation inst) {
        instrumentation = inst;
    }

    public static void main(String[] args) throws Exception {
        Path dir = Paths.get(args[1]);
        PrintStream out = new PrintStream(args[0].equals("dump") ? "/dev/null" : args[2]);
        switch (args[0]) {
            case "dump": dump(dir, args[2]); break;
            case "link": link(dir, args.length > 3 ? args[3] : "", out); break;
            default: redefine(dir, out);
        }
        out.close();
        System.exit(0);
    }

    private static List<Path> classes(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(file -> file.toString().endsWith(".class")).map(root::relativize).forEach(found::add);
        }
        Collections.sort(found);
        return found;
    }

    private static void dump(Path to, String part) throws IOException {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        for (Path file : classes(root)) {
            if (file.toString().contains(part)) {
                Path target = to.resolve(file.toString());
                Files.createDirectories(target.getParent());
                Files.copy(root.resolve(file), target, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static String name(String file) {
        return file.substring(0, file.length() - ".class".length()).replace('/', '.');
    }

    private static String describe(Throwable error) {
        // HotSpot verifies methods in the order of its symbols' addresses, so which of several missing classes it names
        // is chance; and the places in a VerifyError move with the code.
        boolean chance = error instanceof VerifyError || error instanceof NoClassDefFoundError;
        String message = String.valueOf(error.getMessage()).split("\n")[0];
        return error.getClass().getName() + (chance ? "" : ": " + message);
    }

    private static void link(Path dir, String jars, PrintStream out) throws Exception {
        List<URL> urls = new ArrayList<>();
        urls.add(dir.toUri().toURL());
        for (String jar : jars.split(":")) {
            if (!jar.isEmpty()) {
                urls.add(Paths.get(jar).toUri().toURL());
            }
        }
        ClassLoader loader = new Unsigned(urls.toArray(new URL[0]));
        boolean detail = System.getProperty("detail") != null;
        for (Path file : classes(dir)) {
            if (file.startsWith("META-INF") || file.endsWith("module-info.class")) {
                continue;
            }
            String name = name(file.toString());
            String result = "ok";
            try {
                // Asking for members links a class without initialising it.
                Class.forName(name, false, loader).getDeclaredFields();
            } catch (Throwable error) {
                result = describe(error);
                if (detail && error instanceof VerifyError) {
                    System.err.println(error);
                }
            }
            out.println(name + "\t" + result);
        }
    }

    private static void redefine(Path dir, PrintStream out) throws Exception {
        byte[] other = Link.class.getResourceAsStream("Link.class").readAllBytes();
        ClassDefinition poison = new ClassDefinition(Poison.class, other);
        for (Path file : classes(dir)) {
            if (file.getNameCount() < 2 || file.endsWith("module-info.class")) {
                continue;
            }
            String name = name(file.subpath(1, file.getNameCount()).toString());
            String result;
            Class<?> loaded;
            try {
                loaded = Class.forName(name, false, ClassLoader.getSystemClassLoader());
                loaded.getDeclaredFields();
            } catch (Throwable error) {
                out.println(name + "\tnot linked: " + describe(error));
                continue;
            }
            try {
                instrumentation.redefineClasses(new ClassDefinition(loaded, Files.readAllBytes(dir.resolve(file))), poison);
                result = "installed";
            } catch (NoClassDefFoundError error) {
                result = "ok";
            } catch (Throwable error) {
                result = describe(error);
            }
            out.println(name + "\t" + result);
        }
    }
}
