package bench.count;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent that counts in application classes. Without an argument: how often methods and constructors are entered, far too slow to
 * time with. With {@code allocations=<file>}: every allocation by its context, see {@link Allocations}; what was counted is written there at
 * the end.
 */
public final class Agent {
    private static final String ALLOCATIONS = "allocations=";
    /** This agent, and what the JDK generates: for proxies, and before 18 for reflection, in loaders of its own. */
    private static final List<String> NOT_THE_APPLICATIONS =
        List.of("bench/count/", "org/objectweb/asm/", "jdk/internal/reflect/", "jdk/proxy");

    private Agent() {}

    public static void premain(String arguments, Instrumentation instrumentation) {
        if (arguments == null) {
            System.getProperties().put("bench.calls", (LongSupplier) Calls::sum);
            insert(instrumentation, AtEntry::new);
        } else if (arguments.startsWith(ALLOCATIONS)) {
            Path file = Path.of(arguments.substring(ALLOCATIONS.length()));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file, Allocations.figures())));
            insert(instrumentation, AtAllocation::new);
        } else {
            throw new IllegalArgumentException(arguments);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void insert(Instrumentation instrumentation, UnaryOperator<MethodVisitor> what) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
                boolean jdks = loader == null || loader == ClassLoader.getPlatformClassLoader();
                if (jdks || name != null && NOT_THE_APPLICATIONS.stream().anyMatch(name::startsWith)) return null;
                try {
                    return counted(bytes, what);
                } catch (RuntimeException e) {
                    System.err.println("not counted: " + name + ": " + e);
                    return null;
                }
            }
        });
    }

    private static byte[] counted(byte[] bytes, UnaryOperator<MethodVisitor> what) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
                return what.apply(super.visitMethod(access, name, desc, signature, exceptions));
            }
        }, 0);
        return writer.toByteArray();
    }

    private static final class AtEntry extends MethodVisitor {
        AtEntry(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "bench/count/Calls", "enter", "()V", false);
        }
    }

    /** Behind the instructions: what failed has allocated nothing, and a frame may name the place of a {@code new}. */
    private static final class AtAllocation extends MethodVisitor {
        AtAllocation(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, type);
            if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) count();
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            super.visitIntInsn(opcode, operand);
            if (opcode == Opcodes.NEWARRAY) count();
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            super.visitMultiANewArrayInsn(descriptor, dimensions);
            count();
        }

        /** {@code clone()} of an array, and {@code Object}'s own. */
        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
            super.visitMethodInsn(opcode, owner, name, desc, isInterface);
            boolean objects = opcode == Opcodes.INVOKESPECIAL && owner.equals("java/lang/Object");
            if (name.equals("clone") && desc.equals("()Ljava/lang/Object;") && (objects || owner.startsWith("["))) count();
        }

        private void count() {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "bench/count/Allocations", "count", "()V", false);
        }
    }
}
