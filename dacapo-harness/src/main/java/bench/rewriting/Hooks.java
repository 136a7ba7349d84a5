package bench.rewriting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.LocalVariablesSorter;

/** The hooks of a method: what stands before its calls, and before what may initialise a class. */
abstract class Hooks extends LocalVariablesSorter {
    static final String THREAD = "java/lang/Thread";
    static final String HOOKS = "java/lang/LucceHooks";

    final Insertion insertion;
    final boolean frames;
    /** The locals of the hooks: the thread, the word, and an int. */
    int thread, word, slot;
    final Tables tables;

    private final int arguments;
    private int line;
    /** What the straight line has initialised. */
    private final List<String> used = new ArrayList<>();
    /** The labels of {@code new} instructions before which something stands now. */
    private Map<Label, Label> moved = Map.of();
    private Label last;

    Hooks(Insertion insertion, int access, String desc, MethodVisitor next) {
        super(Opcodes.ASM9, access, desc, next);
        this.insertion = insertion;
        tables = insertion.tables.get(insertion.tables.size() - 1);
        frames = insertion.quiet.version >= Opcodes.V1_6;
        arguments = (Type.getArgumentsAndReturnSizes(desc) >> 2) - ((access & Opcodes.ACC_STATIC) != 0 ? 1 : 0);
    }

    /** Before the method's own code. */
    abstract void prologue();

    /** Behind the method's own code. */
    abstract void tail();

    @Override
    public void visitCode() {
        super.visitCode();
        thread = newLocal(Type.getObjectType(THREAD));
        word = newLocal(Type.LONG_TYPE);
        slot = newLocal(Type.INT_TYPE);
        place();
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, THREAD, "currentThread", "()Ljava/lang/Thread;", false);
        mv.visitVarInsn(Opcodes.ASTORE, thread);
        prologue();
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        place();
        tail();
        super.visitMaxs(stack, locals);
    }

    @Override
    public void visitLineNumber(int line, Label start) {
        this.line = line;
        tables.line(insertion.bci, line);
        super.visitLineNumber(line, start);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
        if (!insertion.quiet.isCall(opcode, owner, name, desc)) publish(site(opcode, owner, name, desc));
        super.visitMethodInsn(opcode, owner, name, desc, isInterface);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String desc, Handle bootstrap, Object... arguments) {
        publish(site(Opcodes.INVOKEDYNAMIC, "", name, desc));
        super.visitInvokeDynamicInsn(name, desc, bootstrap, arguments);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String desc) {
        boolean initialises = opcode <= Opcodes.PUTSTATIC && insertion.quiet.initialises(owner, name, desc);
        if (initialises && isFirst(owner.concat(name))) clearSite();
        super.visitFieldInsn(opcode, owner, name, desc);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        if (opcode == Opcodes.NEW) {
            if (insertion.quiet.initialises(type) && isFirst(type)) {
                Label here = clearSite();
                // The frames name a new object by the label of its instruction, which jumps may lead to as well.
                if (last != null && frames) {
                    if (moved.isEmpty()) moved = new HashMap<>();
                    moved.put(last, here);
                }
            }
            last = null;
        }
        super.visitTypeInsn(opcode, type);
    }

    @Override
    public void visitLdcInsn(Object constant) {
        if (Quiet.isComputed(constant) && isFirst(constant.toString())) clearSite();
        super.visitLdcInsn(constant);
    }

    @Override
    public void visitLabel(Label label) {
        last = label;
        if (!frames) used.clear();
        super.visitLabel(label);
    }

    @Override
    public void visitFrame(int type, int locals, Object[] local, int stack, Object[] operands) {
        used.clear();
        super.visitFrame(type, locals, moved(locals, local), stack, moved(stack, operands));
    }

    /** Is it the first use of this on the straight line? */
    private boolean isFirst(String use) {
        return !used.contains(use) && used.add(use);
    }

    private Object[] moved(int count, Object[] types) {
        if (moved.isEmpty()) return types;
        Object[] result = Arrays.copyOf(types, count);
        for (int i = 0; i < count; i++) {
            if (types[i] instanceof Label) result[i] = moved.getOrDefault(types[i], (Label) types[i]);
        }
        return result;
    }

    /** The number of the call that is read, which is kept with what it stands for. */
    int site(int opcode, String owner, String name, String desc) {
        int id = insertion.site();
        tables.sites.add(new Tables.Site(id, insertion.bci, line, opcode, owner, name, desc));
        return id;
    }

    /** Here something begins that is inserted, or ends. */
    Label place() {
        Label here = new Label();
        mv.visitLabel(here);
        tables.place(here, insertion.bci);
        return here;
    }

    void publish(int site) {
        publishWord();
        push(site);
        storeSite();
        place();
    }

    /** What stands before the site of a publication; leaves the thread on the stack. */
    void publishWord() {
        place();
        mv.visitVarInsn(Opcodes.ALOAD, thread);
        mv.visitVarInsn(Opcodes.LLOAD, word);
        mv.visitFieldInsn(Opcodes.PUTFIELD, THREAD, "$lucce$ctx", "J");
        mv.visitVarInsn(Opcodes.ALOAD, thread);
    }

    /** Stores the site on the stack in the thread below it. */
    void storeSite() {
        mv.visitFieldInsn(Opcodes.PUTFIELD, THREAD, "$lucce$site", "I");
    }

    /** What nothing is known of comes next. */
    Label clearSite() {
        place();
        store(Opcodes.ICONST_0);
        return place();
    }

    void store(int constant) {
        mv.visitVarInsn(Opcodes.ALOAD, thread);
        mv.visitInsn(constant);
        storeSite();
    }

    /** Enters the method by that hook; leaves the word on the stack. */
    void enter(boolean untrusted) {
        mv.visitVarInsn(Opcodes.ALOAD, thread);
        immediate(tables.method);
        String hook = untrusted ? "enterUntrusted" : "enter";
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, "(Ljava/lang/Thread;I)J", false);
    }

    void takeOffSign() {
        mv.visitVarInsn(Opcodes.LLOAD, word);
        mv.visitInsn(Opcodes.ICONST_1);
        mv.visitInsn(Opcodes.LSHL);
        mv.visitInsn(Opcodes.ICONST_1);
        mv.visitInsn(Opcodes.LUSHR);
        mv.visitVarInsn(Opcodes.LSTORE, word);
    }

    void push(int value) {
        if (value >= -1 && value <= 5) mv.visitInsn(Opcodes.ICONST_0 + value);
        else if (value == (byte) value) mv.visitIntInsn(Opcodes.BIPUSH, value);
        else if (value == (short) value) mv.visitIntInsn(Opcodes.SIPUSH, value);
        else mv.visitLdcInsn(value);
    }

    /** Without the pool of constants. */
    private void immediate(int value) {
        if (value == (short) value) {
            push(value);
            return;
        }
        mv.visitIntInsn(Opcodes.SIPUSH, value >> 16 ^ (short) value >> 31);
        mv.visitIntInsn(Opcodes.BIPUSH, 16);
        mv.visitInsn(Opcodes.ISHL);
        mv.visitIntInsn(Opcodes.SIPUSH, (short) value);
        mv.visitInsn(Opcodes.IXOR);
    }

    /** A frame of the hooks' own, in which nothing is known of the program's locals but the first, if that is named. */
    void frame(Object first, Object... operands) {
        if (!frames) return;
        Object[] locals = new Object[arguments + 3];
        Arrays.fill(locals, 0, arguments, Opcodes.TOP);
        if (first != null) locals[0] = first;
        locals[arguments] = THREAD;
        locals[arguments + 1] = Opcodes.LONG;
        locals[arguments + 2] = Opcodes.INTEGER;
        mv.visitFrame(Opcodes.F_NEW, locals.length, locals, operands.length, operands);
    }

    /** The frame at the end of the prologue, where the arguments are what they were. */
    void frame(String own, Type[] arguments) {
        if (!frames) return;
        List<Object> locals = new ArrayList<>();
        if (own != null) locals.add(own);
        for (Type argument : arguments) locals.add(verified(argument));
        locals.add(THREAD);
        locals.add(Opcodes.LONG);
        locals.add(Opcodes.INTEGER);
        mv.visitFrame(Opcodes.F_NEW, locals.size(), locals.toArray(), 0, null);
    }

    static Object verified(Type type) {
        switch (type.getSort()) {
            case Type.LONG: return Opcodes.LONG;
            case Type.FLOAT: return Opcodes.FLOAT;
            case Type.DOUBLE: return Opcodes.DOUBLE;
            case Type.ARRAY: case Type.OBJECT: return type.getInternalName();
            default: return Opcodes.INTEGER;
        }
    }
}
