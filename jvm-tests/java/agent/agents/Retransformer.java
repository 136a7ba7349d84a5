package agents;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;

/** Another agent: it changes a constant of one class (same length, so that nothing else moves) and counts what it sees. */
public final class Retransformer implements ClassFileTransformer {
    private static Instrumentation instrumentation;
    private static volatile String target = "";
    private static volatile String from = "";
    private static volatile String to = "";
    private static volatile Runnable inside = () -> {};
    private static volatile Class<?> spoiled;

    private Retransformer() {}

    /** Called by the JVM before main. With an argument the classes that it knows are changed by {@link Inserter} too, in that mode. */
    public static void premain(String arguments, Instrumentation inst) {
        instrumentation = inst;
        inst.addTransformer(new Retransformer(), true);
        // Agents that can retransform are asked last, in their order (JVMTI ClassFileLoadHook).
        if (ClassLoader.getSystemResource("org/objectweb/asm/ClassVisitor.class") != null) {
            inst.addTransformer(new Asker(), true);
            inst.addTransformer(new Intruder(), true);
            inst.addTransformer(new Overrider(), true);
        }
        if (arguments != null) {
            inst.addTransformer(new Inserter(arguments), true);
        }
    }

    static Instrumentation instrumentation() {
        return instrumentation;
    }

    /** Retransforms the class; in its constants `before` becomes `after`; `callback` runs inside the transformer. */
    public static void change(Class<?> type, String before, String after, Runnable callback) throws Exception {
        target = type.getName().replace('.', '/');
        from = before;
        to = after;
        inside = callback;
        instrumentation.retransformClasses(type);
        target = "";
    }

    /** Makes nonsense of the class whenever it is retransformed. */
    public static void spoil(Class<?> type) {
        spoiled = type;
    }

    /** Gives the class other bytes to begin with, as debuggers do. */
    public static void redefine(Class<?> type, byte[] bytes) throws Exception {
        instrumentation.redefineClasses(new ClassDefinition(type, bytes));
    }

    /** The class as it was compiled, with `after` for `before`, of the same length, in its constants. */
    public static byte[] changed(Class<?> type, String before, String after) throws IOException {
        try (InputStream in = type.getClassLoader().getResourceAsStream(type.getName().replace('.', '/') + ".class")) {
            return replaced(in.readAllBytes(), before, after);
        }
    }

    private static byte[] replaced(byte[] bytes, String before, String after) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.replace(before, after).getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        if (type != null && type == spoiled) {
            return new byte[16];
        }
        if (name == null || !name.equals(target)) {
            return null;
        }
        inside.run();
        return replaced(bytes, from, to);
    }
}
