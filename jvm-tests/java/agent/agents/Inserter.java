package agents;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Another agent that changes code as profilers and tracers do, behind those before it: its transformer is asked last, so it is given what they
 * made. It changes the classes whose names begin with {@code hazards.Reshaped$Changed}.
 */
public final class Inserter implements ClassFileTransformer {
    private static final String INSERTED = "hazards/Reshaped";
    private static final Set<String> CHANGED = ConcurrentHashMap.newKeySet();
    private static volatile String mode = "";

    /** Begins with that mode: see {@link #apply}. */
    Inserter(String first) {
        mode = first;
    }

    /**
     * Retransforms the classes: {@code enter} puts a call at each entry and exit, {@code middle} one behind each call of what is not the
     * JDK's, {@code quiet} one at the entry of the methods named {@code quiet}, {@code none} changes nothing. When classes are loaded there is also {@code wrap}: it moves the methods named {@code mid} to another name
     * and puts one that calls it in its place.
     */
    public static void apply(String next, Class<?>... types) throws UnmodifiableClassException {
        mode = next;
        for (Class<?> type : types) CHANGED.removeIf(method -> method.startsWith(type.getName() + "."));
        Retransformer.instrumentation().retransformClasses(types);
    }

    /** Does the method run code that was changed here? */
    public static boolean changed(String type, String method) {
        return CHANGED.contains(type + "." + method);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        if (name == null || !name.startsWith("hazards/Reshaped$Changed") || mode.equals("none")) {
            return null;
        }
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new Inserting(name, mode, writer), 0);
        return writer.toByteArray();
    }

    private static void insert(MethodVisitor into) {
        into.visitMethodInsn(Opcodes.INVOKESTATIC, INSERTED, "inserted", "()V", false);
    }

    private static final class Inserting extends ClassVisitor {
        private final String type;
        private final String mode;

        Inserting(String type, String mode, ClassVisitor next) {
            super(Opcodes.ASM9, next);
            this.type = type;
            this.mode = mode;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
            if (name.startsWith("<") || mode.equals("wrap") && !name.equals("mid") || mode.equals("quiet") && !name.equals("quiet")) {
                return super.visitMethod(access, name, desc, signature, exceptions);
            }
            String moved = name;
            if (mode.equals("wrap")) {
                moved = name + "$moved";
                MethodVisitor wrapper = super.visitMethod(access, name, desc, signature, exceptions);
                wrapper.visitCode();
                wrapper.visitVarInsn(Opcodes.ILOAD, 0);
                wrapper.visitMethodInsn(Opcodes.INVOKESTATIC, type, moved, desc, false);
                wrapper.visitInsn(Opcodes.IRETURN);
                wrapper.visitMaxs(1, 1);
                wrapper.visitEnd();
            }
            CHANGED.add(type.replace('/', '.') + "." + name);
            CHANGED.add(type.replace('/', '.') + "." + moved);
            MethodVisitor method = super.visitMethod(access, moved, desc, signature, exceptions);
            return mode.equals("wrap") ? method : new Insertion(mode, method);
        }
    }

    private static final class Insertion extends MethodVisitor {
        private final boolean enter;

        Insertion(String mode, MethodVisitor next) {
            super(Opcodes.ASM9, next);
            enter = mode.equals("enter") || mode.equals("quiet");
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (enter) {
                insert(mv);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
            super.visitMethodInsn(opcode, owner, name, desc, isInterface);
            if (!enter && !owner.startsWith("java/")) {
                insert(mv);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (enter && opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                insert(mv);
            }
            super.visitInsn(opcode);
        }
    }
}
