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
 * Another agent that puts calls of the program into code that called none of it, the JDK's and the program's own, behind those before it.
 *
 * <p>In {@code hazards.Judged$Body} it changes the methods {@code calm} (a call at the start), {@code marked} (an event of Lucce's own at the start)
 * and {@code behind} (a call right behind the one that Lucce has put there); in the JDK's classes those of {@link #METHODS}, at the start.
 */
public final class Intruder implements ClassFileTransformer {
    private static final String BODY = "hazards/Judged$Body";
    private static final Set<String> METHODS = Set.of("append(I)Ljava/lang/StringBuffer;", "<init>(I)V");
    private static final Set<String> CHANGED = ConcurrentHashMap.newKeySet();
    private static volatile Set<String> types = Set.of();

    Intruder() {}

    /** Changes these classes, and gives back all others, from now on. */
    public static void intrude(Class<?>... next) throws UnmodifiableClassException {
        CHANGED.clear();
        Set<String> names = ConcurrentHashMap.newKeySet();
        for (Class<?> type : next) names.add(type.getName().replace('.', '/'));
        types = names;
        Retransformer.instrumentation().retransformClasses(next);
    }

    /** Gives these classes back. */
    public static void leave(Class<?>... last) throws UnmodifiableClassException {
        types = Set.of();
        Retransformer.instrumentation().retransformClasses(last);
        CHANGED.clear();
    }

    /** Does the method run code that was changed here? */
    public static boolean changed(String type, String method) {
        return CHANGED.contains(type + "." + method);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        if (name == null || !types.contains(name)) {
            return null;
        }
        // A version that this release of ASM knows; nothing that is used here has changed since.
        byte[] known = bytes.clone();
        known[7] = (byte) Math.min(known[7], Opcodes.V21);
        ClassReader reader = new ClassReader(known);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Intruding(name.equals(BODY), writer), 0);
        byte[] changed = writer.toByteArray();
        changed[7] = bytes[7];
        return changed;
    }

    private static final class Intruding extends ClassVisitor {
        private final boolean own;

        Intruding(boolean own, ClassVisitor next) {
            super(Opcodes.ASM9, next);
            this.own = own;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
            MethodVisitor method = super.visitMethod(access, name, desc, signature, exceptions);
            boolean wanted = own ? Set.of("calm", "marked", "behind").contains(name) : METHODS.contains(name + desc);
            if (!wanted) {
                return method;
            }
            if (own) CHANGED.add("hazards.Judged$Body." + name);
            return new MethodVisitor(Opcodes.ASM9, method) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    if (!own) {
                        tellByProperty(mv);
                    } else if (name.equals("calm")) {
                        tell(mv);
                    } else if (name.equals("marked")) {
                        mv.visitLdcInsn("judged");
                        mv.visitInsn(Opcodes.LCONST_1);
                        mv.visitMethodInsn(Opcodes.INVOKESTATIC, "org/lucce/Lucce", "event", "(Ljava/lang/String;J)V", false);
                    }
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String calledDesc, boolean isInterface) {
                    super.visitMethodInsn(opcode, owner, called, calledDesc, isInterface);
                    if (name.equals("behind") && owner.startsWith("java/lang/Lucce") && called.startsWith("enter")) {
                        tell(mv);
                    }
                }
            };
        }
    }

    private static void tell(MethodVisitor into) {
        into.visitMethodInsn(Opcodes.INVOKESTATIC, "hazards/Judged", "tell", "()V", false);
    }

    /** The JDK's classes do not know the program's. */
    private static void tellByProperty(MethodVisitor into) {
        into.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", "getProperties", "()Ljava/util/Properties;", false);
        into.visitLdcInsn("hazards.told");
        into.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/util/Properties", "get", "(Ljava/lang/Object;)Ljava/lang/Object;", false);
        into.visitTypeInsn(Opcodes.CHECKCAST, "java/lang/Runnable");
        into.visitMethodInsn(Opcodes.INVOKEINTERFACE, "java/lang/Runnable", "run", "()V", true);
    }
}
