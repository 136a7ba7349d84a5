package hazards;

import hazards.plain.Asm;

/**
 * Methods that store to a local that they do not have, which the JVM refuses: it must do so with hooks as well, whose own locals would be there. And
 * one whose locals just suffice.
 */
public final class FarLocals {
    private static final int ICONST_1 = 4;
    private static final int LCONST_1 = 10;
    private static final int ISTORE = 54;
    private static final int LSTORE = 55;
    private static final int ALOAD_0 = 42;
    private static final int RETURN = 177;
    private static final int INVOKESPECIAL = 183;
    private static final int NEW = 187;
    private static final int BEYOND = 8;

    private FarLocals() {}

    private static void all(int version) throws ReflectiveOperationException {
        for (int locals = 0; locals < 3; locals++) {
            for (int local = 0; local < locals + BEYOND; local++) {
                report(version, locals, local, ICONST_1, ISTORE);
                report(version, locals, local, LCONST_1, LSTORE);
            }
        }
    }

    private static void report(int version, int locals, int local, int constant, int store)
            throws ReflectiveOperationException {
        Asm made = new Asm(version, "far/Made", "java/lang/Object");
        made.code().op(constant).local(store, local).call("hazards/Check", "here", "()V").op(RETURN)
                .end(Asm.PUBLIC | Asm.STATIC, "run", "()V", 2, locals);
        String method = runs(made);
        made = new Asm(version, "far/Constructed", "java/lang/Object");
        made.code().op(ALOAD_0).op2(INVOKESPECIAL, made.method("java/lang/Object", "<init>", "()V"))
                .op(constant).local(store, local + 1).call("hazards/Check", "here", "()V").op(RETURN)
                .end(Asm.PUBLIC, "<init>", "()V", 2, locals + 1);
        made.code().op2(NEW, made.type("far/Constructed")).op2(INVOKESPECIAL, made.method("far/Constructed", "<init>", "()V"))
                .op(RETURN).end(Asm.PUBLIC | Asm.STATIC, "run", "()V", 1, 0);
        String constructor = runs(made);
        System.out.println(version + ": " + store + " " + local + " of " + locals + ": " + method + ", " + constructor);
    }

    private static String runs(Asm made) throws ReflectiveOperationException {
        try {
            Bytes.load(made).getMethod("run").invoke(null);
            return "runs";
        } catch (VerifyError e) {
            return "refused";
        }
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        all(49);
        all(52);
        Check.done("FarLocals");
    }
}
