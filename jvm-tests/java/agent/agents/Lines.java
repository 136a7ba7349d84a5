package agents;

import java.io.IOException;
import java.io.InputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Redefines a class with other lines, as an edit of its source does. */
public final class Lines {
    private Lines() {}

    /** Each line of the class, as it was compiled, becomes one that is so much larger. */
    public static void move(Class<?> type, int by) throws Exception {
        Retransformer.redefine(type, moved(type, by));
    }

    private static byte[] moved(Class<?> type, int by) throws IOException {
        ClassWriter writer = new ClassWriter(0);
        try (InputStream in = type.getClassLoader().getResourceAsStream(type.getName().replace('.', '/') + ".class")) {
            new ClassReader(in).accept(new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] thrown) {
                    return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, desc, signature, thrown)) {
                        @Override
                        public void visitLineNumber(int line, Label start) {
                            super.visitLineNumber(line + by, start);
                        }
                    };
                }
            }, 0);
        }
        return writer.toByteArray();
    }
}
