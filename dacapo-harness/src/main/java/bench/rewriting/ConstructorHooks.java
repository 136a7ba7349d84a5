package bench.rewriting;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The hooks of a constructor: it never pushes, and has a handler before and one behind {@code super(...)} or {@code this(...)}. */
final class ConstructorHooks extends Hooks {
    private final Label start = new Label(), before = new Label(), behind = new Label();
    /** Objects that were made and not initialised yet, as the code is written down; what is initialised without one is {@code this}. */
    private int made;
    private boolean initialised;

    ConstructorHooks(Insertion insertion, int access, String desc, MethodVisitor next) {
        super(insertion, access, desc, next);
    }

    @Override
    void prologue() {
        enter(false);
        mv.visitVarInsn(Opcodes.LSTORE, word);
        mv.visitVarInsn(Opcodes.LLOAD, word);
        mv.visitIntInsn(Opcodes.BIPUSH, 63);
        mv.visitInsn(Opcodes.LSHR);
        mv.visitInsn(Opcodes.L2I);
        mv.visitVarInsn(Opcodes.ISTORE, slot);
        takeOffSign();
        mv.visitLabel(start);
        tables.place(start, 0);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        if (opcode == Opcodes.NEW) made++;
        super.visitTypeInsn(opcode, type);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
        if (!initialised && opcode == Opcodes.INVOKESPECIAL && name.equals("<init>") && made-- == 0) {
            initialised = true;
            if (insertion.quiet.isConstructor(owner, desc)) clearSite();
            else publishSuper(site(opcode, owner, name, desc));
            mv.visitLabel(before);
            tables.place(before, insertion.bci);
            mv.visitMethodInsn(opcode, owner, name, desc, isInterface);
            mv.visitLabel(behind);
            return;
        }
        super.visitMethodInsn(opcode, owner, name, desc, isInterface);
    }

    private void publishSuper(int site) {
        publishWord();
        mv.visitVarInsn(Opcodes.ILOAD, slot);
        mv.visitInsn(Opcodes.DUP);
        push(site);
        mv.visitInsn(Opcodes.IOR);
        mv.visitInsn(Opcodes.IADD);
        storeSite();
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.RETURN) clearSite();
        super.visitInsn(opcode);
    }

    @Override
    void tail() {
        Label end = new Label();
        mv.visitLabel(end);
        handler(start, initialised ? before : end, Opcodes.UNINITIALIZED_THIS);
        if (initialised) handler(behind, end, null);
    }

    /** {@code receiver}: what is known of local 0 there. */
    private void handler(Label start, Label end, Object receiver) {
        Label handler = new Label();
        mv.visitTryCatchBlock(start, end, handler, null);
        mv.visitLabel(handler);
        frame(receiver, "java/lang/Throwable");
        store(Opcodes.ICONST_0);
        mv.visitInsn(Opcodes.ATHROW);
    }
}
