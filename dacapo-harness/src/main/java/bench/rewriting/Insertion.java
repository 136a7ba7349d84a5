package bench.rewriting;

import java.util.Arrays;
import java.util.BitSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.LocalVariablesSorter;

/**
 * What Lucce inserts, written with ASM as its users write such things (LocalVariablesSorter, COMPUTE_MAXS): a prologue, a publication before
 * each call, a hook at each exit, a handler. Where ASM's ways would cost more, it does less: the exit is one call in place of a branch,
 * constructors get no handler, and nothing stands before {@code new}, where a frame's label would have to be moved. Which methods make no
 * call, and so are left alone, it is told: see {@link Asm}.
 */
final class Insertion extends ClassVisitor {
    private static final String THREAD = "java/lang/Thread";
    private static final String HOOKS = "java/lang/LucceHooks";

    private final BitSet calling;
    private int index, methods = 40_000, sites = 100_000;

    private Insertion(ClassVisitor next, BitSet calling) {
        super(Opcodes.ASM9, next);
        this.calling = calling;
    }

    /** {@code calling}: see {@link #calling(byte[])}. */
    static byte[] into(byte[] bytes, BitSet calling) {
        ClassReader reader = new ClassReader(bytes);
        // Made with the reader, ASM copies the pool of constants, and the methods that are left alone.
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Insertion(writer, calling), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    /** Which methods, in the order of the file, call something or may initialise a class. */
    static BitSet calling(byte[] bytes) {
        BitSet calling = new BitSet();
        new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM9) {
            private int count;

            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
                int number = count++;
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
                        calling.set(number);
                    }

                    @Override
                    public void visitInvokeDynamicInsn(String name, String desc, Handle bootstrap, Object... arguments) {
                        calling.set(number);
                    }

                    @Override
                    public void visitTypeInsn(int opcode, String type) {
                        if (opcode == Opcodes.NEW) calling.set(number);
                    }

                    @Override
                    public void visitFieldInsn(int opcode, String owner, String name, String desc) {
                        if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) calling.set(number);
                    }
                };
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return calling;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, desc, signature, exceptions);
        return calling.get(index++) ? new Hooks(access, name, desc, next) : next;
    }

    private final class Hooks extends LocalVariablesSorter {
        private final int arguments;
        private final boolean constructor;
        private final Label start = new Label();
        private int thread, word, slot;

        Hooks(int access, String name, String desc, MethodVisitor next) {
            super(Opcodes.ASM9, access, desc, next);
            arguments = (Type.getArgumentsAndReturnSizes(desc) >> 2) - ((access & Opcodes.ACC_STATIC) != 0 ? 1 : 0);
            constructor = name.equals("<init>");
        }

        @Override
        public void visitCode() {
            super.visitCode();
            thread = newLocal(Type.getObjectType(THREAD));
            word = newLocal(Type.LONG_TYPE);
            slot = newLocal(Type.INT_TYPE);
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, THREAD, "currentThread", "()Ljava/lang/Thread;", false);
            mv.visitVarInsn(Opcodes.ASTORE, thread);
            mv.visitVarInsn(Opcodes.ALOAD, thread);
            mv.visitLdcInsn(methods++);
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "enter", "(Ljava/lang/Thread;I)J", false);
            mv.visitVarInsn(Opcodes.LSTORE, word);
            // slot = t.slot | ~(w >> 63)
            mv.visitVarInsn(Opcodes.ALOAD, thread);
            mv.visitFieldInsn(Opcodes.GETFIELD, THREAD, "$lucce$slot", "I");
            mv.visitVarInsn(Opcodes.LLOAD, word);
            mv.visitIntInsn(Opcodes.BIPUSH, 63);
            mv.visitInsn(Opcodes.LSHR);
            mv.visitInsn(Opcodes.L2I);
            mv.visitInsn(Opcodes.ICONST_M1);
            mv.visitInsn(Opcodes.IXOR);
            mv.visitInsn(Opcodes.IOR);
            mv.visitVarInsn(Opcodes.ISTORE, slot);
            mv.visitLabel(start);
        }

        private void publish() {
            mv.visitVarInsn(Opcodes.ALOAD, thread);
            mv.visitVarInsn(Opcodes.LLOAD, word);
            mv.visitFieldInsn(Opcodes.PUTFIELD, THREAD, "$lucce$ctx", "J");
            mv.visitVarInsn(Opcodes.ALOAD, thread);
            mv.visitLdcInsn(sites++);
            mv.visitFieldInsn(Opcodes.PUTFIELD, THREAD, "$lucce$site", "I");
        }

        private void leave() {
            mv.visitVarInsn(Opcodes.ALOAD, thread);
            mv.visitVarInsn(Opcodes.ILOAD, slot);
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "leave", "(Ljava/lang/Thread;I)V", false);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
            publish();
            super.visitMethodInsn(opcode, owner, name, desc, isInterface);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String desc, Handle bootstrap, Object... arguments) {
            publish();
            super.visitInvokeDynamicInsn(name, desc, bootstrap, arguments);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String desc) {
            if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) forget();
            super.visitFieldInsn(opcode, owner, name, desc);
        }

        private void forget() {
            mv.visitVarInsn(Opcodes.ALOAD, thread);
            mv.visitInsn(Opcodes.ICONST_0);
            mv.visitFieldInsn(Opcodes.PUTFIELD, THREAD, "$lucce$site", "I");
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) leave();
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            if (!constructor) {
                Label end = new Label();
                mv.visitTryCatchBlock(start, end, end, null);
                mv.visitLabel(end);
                // Of the arguments nothing is known any more, and nothing is wanted.
                Object[] frame = new Object[arguments + 3];
                Arrays.fill(frame, 0, arguments, Opcodes.TOP);
                frame[arguments] = THREAD;
                frame[arguments + 1] = Opcodes.LONG;
                frame[arguments + 2] = Opcodes.INTEGER;
                mv.visitFrame(Opcodes.F_NEW, frame.length, frame, 1, new Object[] {"java/lang/Throwable"});
                leave();
                mv.visitInsn(Opcodes.ATHROW);
            }
            super.visitMaxs(stack, locals);
        }
    }
}
