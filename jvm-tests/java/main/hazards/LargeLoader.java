package hazards;

import hazards.plain.Asm;
import java.lang.invoke.MethodHandles;
import java.util.function.IntSupplier;
import org.lucce.Lucce;

/** A class loader whose {@code loadClass} is too large for hooks: what it calls is no call of what has called before the class was loaded. */
public final class LargeLoader {
    private static final String SELF = "hazards/LargeLoader";
    private static final String LOADER = "hazards/TooLargeLoader";
    private static final String LOAD = "(Ljava/lang/String;)Ljava/lang/Class;";
    private static final String HELPER = "(Lhazards/Bytes;Ljava/lang/String;)Ljava/lang/Class;";

    private LargeLoader() {}

    public static class InInstance {}

    public static class InArray {}

    public static class InCast {}

    /** Loaded by the loader, which loads whatever it names. */
    public static class InBody implements IntSupplier {
        @Override
        public int getAsInt() {
            Object text = "text";
            leaf();
            int sum = text instanceof InInstance ? 1 : 2;
            leaf();
            sum += new InArray[sum].length;
            try {
                leaf();
                sum += ((InCast) text).hashCode();
            } catch (ClassCastException e) {
                sum += 4;
            }
            return sum;
        }
    }

    /** Where contexts are asked for: by the body, and in the loader. */
    public static void leaf() {
        Lucce.capture();
    }

    /** Many calls of it are many hooks. */
    public static void nothing() {}

    /** What the loader does, where its own code would be too much to assemble. */
    static Class<?> load(Bytes loader, String name) throws ClassNotFoundException {
        if (name.startsWith("hazards.LargeLoader$In")) {
            return loader.copy(name);
        }
        return LargeLoader.class.getClassLoader().loadClass(name);
    }

    static byte[] loader() {
        Asm asm = new Asm(49, LOADER, "hazards/Bytes");
        asm.code().op(42).op2(183, asm.method("hazards/Bytes", "<init>", "()V")).op(177).end(0, "<init>", "()V", 1, 1);
        Asm.Code code = asm.code().call(SELF, "leaf", "()V").call(SELF, "leaf", "()V");
        for (int i = 0; i < 400; i++) {
            code.call(SELF, "nothing", "()V");
        }
        while (code.size() < 64_000) {
            code.op(0);
        }
        code.op(42).op(43).call(SELF, "load", HELPER).op(176);
        return code.end(Asm.PUBLIC, "loadClass", LOAD, 2, 2).finish();
    }

    public static void main(String[] args) throws Exception {
        Class<?> loader = MethodHandles.lookup().defineClass(loader());
        for (int round = 0; round < 8; round++) {
            Bytes made = (Bytes) loader.getDeclaredConstructor().newInstance();
            Class<?> body = made.loadClass("hazards.LargeLoader$InBody");
            Check.equal(made, body.getClassLoader());
            IntSupplier supplier = (IntSupplier) body.getDeclaredConstructor().newInstance();
            Check.equal(8, supplier.getAsInt());
            Check.equal(8, supplier.getAsInt());
            Check.here();
        }
        Check.done("LargeLoader");
    }
}
