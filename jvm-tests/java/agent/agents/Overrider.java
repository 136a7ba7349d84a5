package agents;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Another agent that adds a method to a class as it is loaded, behind those before it: {@code hazards.Overridden$Adding} then overrides
 * {@code step} of its superclass, which it calls, and between two such calls {@code depth}.
 */
final class Overrider implements ClassFileTransformer {
    private static final String CLASS = "hazards/Overridden$Adding";

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        if (!CLASS.equals(name)) {
            return null;
        }
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public void visitEnd() {
                MethodVisitor step = super.visitMethod(0, "step", "(I)I", null, null);
                step.visitCode();
                above(step);
                step.visitInsn(Opcodes.ICONST_2);
                step.visitMethodInsn(Opcodes.INVOKESTATIC, "hazards/Overridden", "depth", "(I)I", false);
                above(step);
                step.visitInsn(Opcodes.IADD);
                step.visitInsn(Opcodes.IADD);
                step.visitInsn(Opcodes.IRETURN);
                step.visitMaxs(4, 2);
                step.visitEnd();
                super.visitEnd();
            }
        }, 0);
        return writer.toByteArray();
    }

    private static void above(MethodVisitor step) {
        step.visitVarInsn(Opcodes.ALOAD, 0);
        step.visitVarInsn(Opcodes.ILOAD, 1);
        step.visitMethodInsn(Opcodes.INVOKESPECIAL, "hazards/Overridden$Base", "step", "(I)I", false);
    }
}
