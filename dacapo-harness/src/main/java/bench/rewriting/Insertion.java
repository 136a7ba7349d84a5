package bench.rewriting;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What Lucce inserts, written with ASM as its users write such things (visitors, LocalVariablesSorter, COMPUTE_MAXS). What would need a
 * further analysis of the code is left out: entries that stand behind early returns, hooks left out of what is never reached, what keeps the
 * types of class files without frames apart, returns with more on the stack than the result. A method that has become too large costs the class.
 */
final class Insertion extends ClassVisitor {
    /** The numbers that are given next: such as a large application has. */
    static final class Ids {
        private int method = 40_000, site = 100_000;
    }

    final Quiet quiet;
    /** Of the methods that got hooks. */
    final List<Tables> tables = new ArrayList<>();
    /** The index of the instruction that is read. */
    int bci;
    private final ClassReader reader;
    private final ClassWriter writer;
    private final Ids ids;
    /** Of the next method, by the order of the file. */
    private int index;

    Insertion(byte[] bytes, Ids ids) {
        super(Opcodes.ASM9);
        this.ids = ids;
        reader = new ClassReader(bytes) {
            @Override
            protected void readBytecodeInstructionOffset(int offset) {
                bci = offset;
            }
        };
        quiet = Quiet.of(reader);
        // Made with the reader, ASM copies the pool of constants, and the methods that are left alone.
        writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        cv = writer;
    }

    byte[] run() {
        reader.accept(this, ClassReader.EXPAND_FRAMES);
        byte[] bytes = writer.toByteArray();
        for (Tables method : tables) method.close();
        return bytes;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, desc, signature, exceptions);
        if (quiet.isQuiet(index++) || (access & (Opcodes.ACC_NATIVE | Opcodes.ACC_ABSTRACT)) != 0) return next;
        tables.add(new Tables(ids.method++));
        if (name.equals("<init>")) return new ConstructorHooks(this, access, desc, next);
        return new MethodHooks(this, access, name, desc, next);
    }

    /** The number of a call. */
    int site() {
        return ids.site++;
    }
}
