package bench.startup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.SplittableRandom;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Makes the jar of an application of many classes: {@code bench.startup.Generate <jar> <classes>}. The same bytes each time.
 *
 * <p>{@code app.Main} calls each class once and prints a sum, its first result. A class has some dozen methods of 40 to 200 bytes, of which
 * its {@code run} uses most; it makes an object of the class before it and calls that through a superclass.
 */
public final class Generate {
    private static final int GROUP = 100;

    private Generate() {}

    public static void main(String[] args) throws IOException {
        int classes = Integer.parseInt(args[1]);
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(Path.of(args[0])))) {
            put(jar, "app/Base", base());
            for (int i = 0; i < classes; i++) put(jar, name(i), one(i));
            for (int from = 0; from < classes; from += GROUP) put(jar, group(from), callers(group(from), from, Math.min(from + GROUP, classes)));
            put(jar, "app/Main", main(classes));
        }
    }

    private static void put(ZipOutputStream jar, String name, byte[] bytes) throws IOException {
        ZipEntry entry = new ZipEntry(name + ".class");
        entry.setLastModifiedTime(FileTime.fromMillis(0));
        jar.putNextEntry(entry);
        jar.write(bytes);
        jar.closeEntry();
    }

    private static String name(int number) {
        return "app/p" + number / GROUP + "/C" + number;
    }

    private static String group(int from) {
        return "app/Group" + from / GROUP;
    }

    private static ClassWriter open(int access, String name, String superName) {
        ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        out.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER | access, name, null, superName, null);
        out.visitSource(name.substring(name.lastIndexOf('/') + 1) + ".java", null);
        MethodVisitor init = out.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        init.visitVarInsn(Opcodes.ALOAD, 0);
        init.visitMethodInsn(Opcodes.INVOKESPECIAL, superName, "<init>", "()V", false);
        init.visitInsn(Opcodes.RETURN);
        init.visitMaxs(0, 0);
        return out;
    }

    private static byte[] base() {
        ClassWriter out = open(Opcodes.ACC_ABSTRACT, "app/Base", "java/lang/Object");
        out.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT, "value", "(I)I", null, null);
        return out.toByteArray();
    }

    private static byte[] one(int number) {
        SplittableRandom random = new SplittableRandom(number);
        String self = name(number), before = name(Math.max(0, number - 1));
        ClassWriter out = open(0, self, "app/Base");
        out.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC, "seen", "I", null, null);
        int methods = 8 + random.nextInt(8);
        for (int i = 0; i < methods; i++) {
            MethodVisitor code = out.visitMethod(Opcodes.ACC_STATIC, "m" + i, "(I)I", null, null);
            code.visitCode();
            line(code, 10 * i);
            code.visitVarInsn(Opcodes.ILOAD, 0);
            code.visitVarInsn(Opcodes.ISTORE, 1);
            for (int step = 4 + random.nextInt(16); step > 0; step--) {
                line(code, 10 * i + step);
                code.visitVarInsn(Opcodes.ILOAD, 1);
                code.visitLdcInsn(random.nextInt(100_000));
                code.visitInsn(new int[] {Opcodes.IADD, Opcodes.IXOR, Opcodes.IMUL}[random.nextInt(3)]);
                code.visitVarInsn(Opcodes.ISTORE, 1);
            }
            Label odd = new Label();
            code.visitVarInsn(Opcodes.ILOAD, 1);
            code.visitInsn(Opcodes.ICONST_1);
            code.visitInsn(Opcodes.IAND);
            code.visitJumpInsn(Opcodes.IFNE, odd);
            code.visitIincInsn(1, 7);
            code.visitLabel(odd);
            code.visitFrame(Opcodes.F_APPEND, 1, new Object[] {Opcodes.INTEGER}, 0, null);
            if (i > 0) {
                code.visitVarInsn(Opcodes.ILOAD, 1);
                code.visitMethodInsn(Opcodes.INVOKESTATIC, self, "m" + random.nextInt(i), "(I)I", false);
                code.visitVarInsn(Opcodes.ISTORE, 1);
            } else {
                code.visitVarInsn(Opcodes.ILOAD, 1);
                code.visitInsn(Opcodes.I2L);
                code.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Long", "hashCode", "(J)I", false);
                code.visitVarInsn(Opcodes.ISTORE, 1);
            }
            code.visitVarInsn(Opcodes.ILOAD, 1);
            code.visitInsn(Opcodes.IRETURN);
            code.visitMaxs(0, 0);
        }
        MethodVisitor value = out.visitMethod(Opcodes.ACC_PUBLIC, "value", "(I)I", null, null);
        value.visitCode();
        value.visitVarInsn(Opcodes.ILOAD, 1);
        value.visitMethodInsn(Opcodes.INVOKESTATIC, self, "m" + (methods - 1), "(I)I", false);
        value.visitInsn(Opcodes.IRETURN);
        value.visitMaxs(0, 0);

        MethodVisitor run = out.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "(I)I", null, null);
        run.visitCode();
        run.visitTypeInsn(Opcodes.NEW, before);
        run.visitInsn(Opcodes.DUP);
        run.visitMethodInsn(Opcodes.INVOKESPECIAL, before, "<init>", "()V", false);
        run.visitVarInsn(Opcodes.ILOAD, 0);
        run.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "app/Base", "value", "(I)I", false);
        for (int i = 0; i < methods; i += 2) run.visitMethodInsn(Opcodes.INVOKESTATIC, self, "m" + i, "(I)I", false);
        run.visitInsn(Opcodes.DUP);
        run.visitFieldInsn(Opcodes.PUTSTATIC, self, "seen", "I");
        run.visitInsn(Opcodes.IRETURN);
        run.visitMaxs(0, 0);
        return out.toByteArray();
    }

    private static void line(MethodVisitor code, int line) {
        Label here = new Label();
        code.visitLabel(here);
        code.visitLineNumber(line + 1, here);
    }

    private static byte[] callers(String name, int from, int to) {
        ClassWriter out = open(0, name, "java/lang/Object");
        MethodVisitor run = out.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "(I)I", null, null);
        run.visitCode();
        run.visitVarInsn(Opcodes.ILOAD, 0);
        for (int i = from; i < to; i++) run.visitMethodInsn(Opcodes.INVOKESTATIC, name(i), "run", "(I)I", false);
        run.visitInsn(Opcodes.IRETURN);
        run.visitMaxs(0, 0);
        return out.toByteArray();
    }

    private static byte[] main(int classes) {
        ClassWriter out = open(0, "app/Main", "java/lang/Object");
        MethodVisitor main = out.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "main", "([Ljava/lang/String;)V", null, null);
        main.visitCode();
        main.visitFieldInsn(Opcodes.GETSTATIC, "java/lang/System", "out", "Ljava/io/PrintStream;");
        main.visitInsn(Opcodes.ICONST_1);
        for (int from = 0; from < classes; from += GROUP) main.visitMethodInsn(Opcodes.INVOKESTATIC, group(from), "run", "(I)I", false);
        main.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/io/PrintStream", "println", "(I)V", false);
        main.visitInsn(Opcodes.RETURN);
        main.visitMaxs(0, 0);
        return out.toByteArray();
    }
}
