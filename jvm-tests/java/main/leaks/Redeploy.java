package leaks;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Plugins that are deployed again and again, each by a class loader of its own, and stay registered as somebody's hook. */
public final class Redeploy extends Service {
    /** What is deployed. */
    public static final class Plugin implements IntUnaryOperator {
        private static final int[] TABLE = new int[4096];

        @Override
        public int applyAsInt(int request) {
            return TABLE[request % TABLE.length]++;
        }
    }

    static final class PluginLoader extends ClassLoader {
        PluginLoader(ClassLoader parent) {
            super(parent);
        }

        Class<?> plugin(byte[] bytes) {
            return defineClass("leaks.Redeploy$Plugin", bytes, 0, bytes.length);
        }
    }

    private final List<Object> hooks = new ArrayList<>();
    private final byte[] bytes;
    private IntUnaryOperator plugin;

    Redeploy() throws Exception {
        try (InputStream in = Redeploy.class.getResourceAsStream("Redeploy$Plugin.class")) {
            bytes = in.readAllBytes();
        }
    }

    private IntUnaryOperator deploy() throws Exception {
        Class<?> type = new PluginLoader(Redeploy.class.getClassLoader()).plugin(bytes);
        IntUnaryOperator plugin = (IntUnaryOperator) type.getConstructor().newInstance();
        hooks.add(plugin);
        return plugin;
    }

    @Override
    void handle(int request) throws Exception {
        if (request % 50 == 0) plugin = deploy();
        plugin.applyAsInt(request);
    }

    public static void main(String[] args) throws Exception {
        new Redeploy().run();
    }
}
