package bench.rewriting;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The hooks of any method but constructors: one exit, one handler, both of which restore what the method has pushed. */
final class MethodHooks extends Hooks {
    private final boolean isStatic, untrusted;
    private final String desc;
    private final Label start = new Label(), exit = new Label();
    private boolean entered, returns;

    MethodHooks(Insertion insertion, int access, String name, String desc, MethodVisitor next) {
        super(insertion, access, desc, next);
        this.desc = desc;
        isStatic = (access & Opcodes.ACC_STATIC) != 0;
        untrusted = name.equals("<clinit>") || name.concat(desc).equals("loadClass(Ljava/lang/String;)Ljava/lang/Class;");
    }

    @Override
    void prologue() {
        mv.visitInsn(Opcodes.ICONST_M1);
        mv.visitVarInsn(Opcodes.ISTORE, slot);
        enter(untrusted);
        mv.visitInsn(Opcodes.DUP2);
        mv.visitVarInsn(Opcodes.LSTORE, word);
        mv.visitInsn(Opcodes.LCONST_0);
        mv.visitInsn(Opcodes.LCMP);
        mv.visitJumpInsn(Opcodes.IFGE, start);
        mv.visitVarInsn(Opcodes.ALOAD, thread);
        mv.visitFieldInsn(Opcodes.GETFIELD, THREAD, "$lucce$slot", "I");
        mv.visitVarInsn(Opcodes.ISTORE, slot);
        takeOffSign();
        mv.visitLabel(start);
        tables.place(start, 0);
        frame(isStatic ? null : insertion.quiet.name, Type.getArgumentTypes(desc));
    }

    @Override
    public void visitFrame(int type, int locals, Object[] local, int stack, Object[] operands) {
        if (!entered) {
            // Where the method's own code begins with a frame, ASM would write two for one place.
            entered = true;
            Label here = new Label();
            mv.visitLabel(here);
            if (here.getOffset() == start.getOffset()) mv.visitInsn(Opcodes.NOP);
        }
        super.visitFrame(type, locals, local, stack, operands);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode < Opcodes.IRETURN || opcode > Opcodes.RETURN) {
            super.visitInsn(opcode);
            return;
        }
        returns = true;
        place();
        super.visitJumpInsn(Opcodes.GOTO, exit);
    }

    @Override
    void tail() {
        Label end = new Label();
        mv.visitTryCatchBlock(start, exit, end, null);
        mv.visitLabel(exit);
        Type result = Type.getReturnType(desc);
        if (returns) {
            Object[] operands = result == Type.VOID_TYPE ? new Object[0] : new Object[] {verified(result)};
            frame(null, operands);
            Label plain = restore();
            mv.visitLabel(plain);
            frame(null, operands);
            mv.visitInsn(result.getOpcode(Opcodes.IRETURN));
        }
        mv.visitLabel(end);
        frame(null, "java/lang/Throwable");
        Label plain = restore();
        mv.visitInsn(Opcodes.ATHROW);
        mv.visitLabel(plain);
        frame(null, "java/lang/Throwable");
        store(Opcodes.ICONST_0);
        mv.visitInsn(Opcodes.ATHROW);
    }

    /** Restores caller and site if the method has pushed; the jump is taken if not. */
    private Label restore() {
        Label plain = new Label();
        mv.visitVarInsn(Opcodes.ILOAD, slot);
        mv.visitJumpInsn(Opcodes.IFLT, plain);
        mv.visitVarInsn(Opcodes.ALOAD, thread);
        mv.visitVarInsn(Opcodes.ILOAD, slot);
        mv.visitFieldInsn(Opcodes.PUTFIELD, THREAD, "$lucce$top", "I");
        store(Opcodes.ICONST_M1);
        return plain;
    }
}
