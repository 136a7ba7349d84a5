package bench.count;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.function.LongSupplier;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A Java agent that counts, exactly, how often methods and constructors of application classes are entered. Far too slow to time with. */
public final class Agent {
    /** This agent, and what the JDK generates: for proxies, and before 18 for reflection, in loaders of its own. */
    private static final List<String> NOT_THE_APPLICATIONS =
        List.of("bench/count/", "org/objectweb/asm/", "jdk/internal/reflect/", "jdk/proxy");

    private Agent() {}

    public static void premain(String arguments, Instrumentation instrumentation) {
        System.getProperties().put("bench.calls", (LongSupplier) Calls::sum);
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
                boolean jdks = loader == null || loader == ClassLoader.getPlatformClassLoader();
                if (jdks || name != null && NOT_THE_APPLICATIONS.stream().anyMatch(name::startsWith)) return null;
                try {
                    return counted(bytes);
                } catch (RuntimeException e) {
                    System.err.println("not counted: " + name + ": " + e);
                    return null;
                }
            }
        });
    }

    private static byte[] counted(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
                MethodVisitor method = super.visitMethod(access, name, desc, signature, exceptions);
                return new MethodVisitor(api, method) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, "bench/count/Calls", "enter", "()V", false);
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }
}
