import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.wiring.FrameworkWiring;

/** An OSGi framework: bundles that are written here, services across them, classes loaded on demand, update and refresh. */
public final class Bundles {
    private Bundles() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put(Constants.FRAMEWORK_STORAGE, "cache");
        settings.put(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
        Framework framework = ServiceLoader.load(FrameworkFactory.class).iterator().next().newFramework(settings);
        framework.start();
        BundleContext context = framework.getBundleContext();
        Bundle api = context.installBundle("api", bundle("api", null, "shared", null, shared.Greeter.class));
        Bundle first = context.installBundle("provider", bundle("provider", provider.Provider.class, null, "shared", provider.Provider.class, provider.Polite.class));
        List<Bundle> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) users.add(context.installBundle("user" + i, bundle("user" + i, user.User.class, null, "shared", user.User.class)));
        first.start();
        for (Bundle each : users) each.start();
        for (int round = 0; round < 3; round++) {
            first.update(bundle("provider", provider.Provider.class, null, "shared", provider.Provider.class, provider.Polite.class));
            Object lock = new Object();
            boolean[] done = {false};
            framework.adapt(FrameworkWiring.class).refreshBundles(List.of(first), event -> {
                synchronized (lock) {
                    done[0] = true;
                    lock.notifyAll();
                }
            });
            synchronized (lock) {
                while (!done[0]) lock.wait();
            }
            users.get(round).stop();
            users.get(round).start();
        }
        for (Bundle each : users) each.uninstall();
        first.stop();
        api.uninstall();
        framework.stop();
        framework.waitForStop(10_000);
        System.out.println("stopped");
        System.exit(0);
    }

    private static InputStream bundle(String name, Class<?> activator, String exports, String imports, Class<?>... classes) throws Exception {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", name);
        if (activator != null) main.putValue("Bundle-Activator", activator.getName());
        if (exports != null) main.putValue("Export-Package", exports);
        main.putValue("Import-Package", "org.osgi.framework" + (imports == null ? "" : "," + imports));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (Class<?> type : classes) {
                String file = type.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new JarEntry(file));
                try (InputStream in = Bundles.class.getResourceAsStream("/" + file)) {
                    in.transferTo(jar);
                }
            }
        }
        return new ByteArrayInputStream(out.toByteArray());
    }
}
