package bench.rewriting;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * What a look through the class before it is rewritten finds out: which methods need no hooks, for neither they nor what they call in the own
 * class can enter or initialise anything.
 */
final class Quiet extends ClassVisitor {
    /** Chains of calls that are followed. */
    private static final int DEPTH = 8;

    private final Set<String> fields = new HashSet<>();
    private final Map<String, Method> methods = new HashMap<>();
    private final List<Method> ordered = new ArrayList<>();
    private final Code code = new Code();
    private boolean isFinal;
    private boolean isInterface;
    String name;
    String superName;
    int version;

    private Quiet() {
        super(Opcodes.ASM9);
    }

    static Quiet of(ClassReader reader) {
        Quiet quiet = new Quiet();
        reader.accept(quiet, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return quiet;
    }

    /** Has the method, by the order of the file, nothing that needs hooks? */
    boolean isQuiet(int method) {
        return ordered.get(method).isQuiet(DEPTH);
    }

    /** Does the instruction call a quiet method of this class, and no other? */
    boolean isCall(int opcode, String owner, String name, String desc) {
        Method target = target(opcode, owner, name, desc);
        return target != null && target.isQuiet(DEPTH);
    }

    /** Is it a quiet constructor of this class? */
    boolean isConstructor(String owner, String desc) {
        return owner.equals(name) && methods.get("<init>".concat(desc)).isQuiet(DEPTH);
    }

    /** May a field's class be initialised by its use? A field named through the own class may be an interface's, and the own class one. */
    boolean initialises(String owner, String field, String desc) {
        return isInterface || !owner.equals(name) || !fields.contains(field.concat(desc));
    }

    /** May {@code new} initialise this class? */
    boolean initialises(String type) {
        return !type.equals(name) && !type.equals(superName);
    }

    /** Is it more than a plain constant? */
    static boolean isComputed(Object constant) {
        return constant instanceof Type && ((Type) constant).getSort() == Type.METHOD
                || constant instanceof Handle
                || constant instanceof ConstantDynamic;
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        this.version = version & 0xFFFF;
        this.name = name;
        this.superName = superName;
        isFinal = (access & Opcodes.ACC_FINAL) != 0;
        isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
    }

    @Override
    public FieldVisitor visitField(int access, String name, String desc, String signature, Object value) {
        fields.add(name.concat(desc));
        return null;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
        code.method = new Method(access, name, desc);
        methods.put(name.concat(desc), code.method);
        ordered.add(code.method);
        return code;
    }

    /** The method of this class that the instruction enters, whatever the receiver. */
    private Method target(int opcode, String owner, String name, String desc) {
        if (!owner.equals(this.name) || name.charAt(0) == '<' || name.equals("loadClass")) return null;
        Method target = methods.get(name.concat(desc));
        return target != null && target.isBound(opcode) ? target : null;
    }

    /** A call of a method that the own class is to have. */
    private static final class Call {
        private final int opcode;
        private final String name, desc;

        Call(int opcode, String name, String desc) {
            this.opcode = opcode;
            this.name = name;
            this.desc = desc;
        }
    }

    private final class Method {
        private final int access;
        private final boolean constructor;
        private final List<Call> calls = new ArrayList<>();
        private boolean loud;
        private Boolean quiet;

        Method(int access, String name, String desc) {
            this.access = access;
            constructor = name.equals("<init>");
            loud = (access & (Opcodes.ACC_NATIVE | Opcodes.ACC_ABSTRACT)) != 0;
        }

        boolean isBound(int opcode) {
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0, isPrivate = (access & Opcodes.ACC_PRIVATE) != 0;
            switch (opcode) {
                case Opcodes.INVOKESTATIC: return isStatic;
                case Opcodes.INVOKEVIRTUAL: return !isStatic && (isPrivate || isFinal || (access & Opcodes.ACC_FINAL) != 0);
                default: return !isStatic && isPrivate;
            }
        }

        boolean isQuiet(int depth) {
            if (quiet != null) return quiet;
            if (depth == 0) return false;
            // Who calls it from what it calls takes it for loud.
            quiet = false;
            quiet = !loud && areQuiet(depth - 1);
            return quiet;
        }

        private boolean areQuiet(int depth) {
            for (Call call : calls) {
                Method target = constructor && call.name.equals("<init>")
                        ? methods.get(call.name.concat(call.desc))
                        : target(call.opcode, Quiet.this.name, call.name, call.desc);
                if (target != this && (target == null || !target.isQuiet(depth))) return false;
            }
            return true;
        }
    }

    /** Reads the code of {@code method}. */
    private final class Code extends MethodVisitor {
        private Method method;

        Code() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
            if (method.loud) return;
            if (!owner.equals(Quiet.this.name)) {
                method.loud = true;
                return;
            }
            method.calls.add(new Call(opcode, name, desc));
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String desc, Handle bootstrap, Object... arguments) {
            method.loud = true;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            method.loud |= opcode == Opcodes.NEW && initialises(type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String desc) {
            method.loud |= opcode <= Opcodes.PUTSTATIC && initialises(owner, name, desc);
        }

        @Override
        public void visitLdcInsn(Object constant) {
            method.loud |= isComputed(constant);
        }
    }
}
