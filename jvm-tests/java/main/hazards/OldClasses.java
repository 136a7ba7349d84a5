package hazards;

import hazards.plain.Asm;
import java.lang.reflect.Method;

/** Classes of versions 45 to 50: no stack maps (which 50 need not have), jsr and ret up to 49, Class constants only from 49. */
public final class OldClasses {
    private OldClasses() {}

    public static int leaf(int n) {
        Check.here();
        return n;
    }

    public static int explode(int n) {
        Check.here();
        throw new IllegalStateException("old " + n);
    }

    /** Methods whose types nobody compares: neither class is there, so the old verifier must not be made to load them (JVMS 4.10.2). */
    private static void apart(Asm asm, String self) {
        String leaf = "hazards/OldClasses";
        int absent = asm.type("old/Absent");
        int missing = asm.type("old/Missing");
        // static int locals(int n): a local of either type at the two returns
        asm.code()
                .op(26).jump(153, "zero")
                .op(1).op2(192, absent).op(76).op(26).call(leaf, "leaf", "(I)I").op(172)
                .label("zero").op(1).op2(192, missing).op(76).op(26).call(leaf, "leaf", "(I)I").op(172)
                .end(Asm.PUBLIC | Asm.STATIC, "locals", "(I)I", 1, 2);
        // static Object object(int n), Object[] array(int n): results of either type
        String[][] results = {
            {"object", "Ljava/lang/Object;", "old/Absent", "old/Missing"},
            {"array", "[Ljava/lang/Object;", "[Lold/Absent;", "[Lold/Missing;"},
        };
        for (String[] result : results) {
            String desc = "(I)" + result[1];
            asm.code()
                    .op(26).call(leaf, "leaf", "(I)I").jump(153, "zero").op(1).op2(192, asm.type(result[2])).op(176)
                    .label("zero").op(1).op2(192, asm.type(result[3])).op(176)
                    .end(Asm.STATIC, result[0], desc, 1, 1);
            asm.code()
                    .op(26).call(self, result[0], desc).op(87).op(26).call(leaf, "leaf", "(I)I").op(172)
                    .end(Asm.PUBLIC | Asm.STATIC, result[0] + "Caller", "(I)I", 1, 1);
        }
        // static int argument(Absent a, int n): an argument that becomes of the other type
        String desc = "(Lold/Absent;JI)I";
        asm.code()
                .op(29).call(leaf, "leaf", "(I)I").op(87).op(1).op2(192, missing).op(75).op(29).call(leaf, "leaf", "(I)I").op(172)
                .end(Asm.STATIC, "argument", desc, 1, 4);
        asm.code()
                .op(1, 9, 26).call(self, "argument", desc).op(172)
                .end(Asm.PUBLIC | Asm.STATIC, "argumentCaller", "(I)I", 4, 1);
        // An argument of a constructor becomes of the other type behind super(), and a local that super() finds.
        String argument = "(Lold/Absent;I)V";
        asm.code()
                .op(42).op2(183, asm.method("java/lang/Object", "<init>", "()V"))
                .op(1).op2(192, missing).op(76).op(28).call(leaf, "leaf", "(I)I").op(87, 177)
                .end(Asm.PUBLIC, "<init>", argument, 1, 3);
        asm.code()
                .op(1).op2(192, absent).op(77).op(27).call(leaf, "leaf", "(I)I").op(87)
                .op(42).op2(183, asm.method("java/lang/Object", "<init>", "()V")).op(27).call(leaf, "leaf", "(I)I").op(87)
                .op(1).op2(192, missing).op(77).op(27).call(leaf, "leaf", "(I)I").op(87, 177)
                .end(Asm.PUBLIC, "<init>", "(I)V", 1, 3);
        asm.code()
                .op2(187, asm.type(self)).op(1, 26).op2(183, asm.method(self, "<init>", argument))
                .op2(187, asm.type(self)).op(26).op2(183, asm.method(self, "<init>", "(I)V"))
                .op(26, 172)
                .end(Asm.PUBLIC | Asm.STATIC, "constructors", "(I)I", 3, 1);
    }

    private static byte[] old(int version) {
        String self = "old/Version" + version;
        Asm asm = new Asm(version, self, "java/lang/Object");
        String leaf = "hazards/OldClasses";
        // static int sum(int n): n + leaf(n) by recursion, with a jump both ways
        asm.code()
                .op(26).jump(153, "zero")
                .op(26).call(leaf, "leaf", "(I)I")
                .op(26, 4, 100).call(self, "sum", "(I)I").op(96, 172)
                .label("zero").op(3, 172)
                .end(Asm.PUBLIC | Asm.STATIC, "sum", "(I)I", 3, 1);
        // static int caught(int n): try { explode(n) } catch (any) { leaf(n + 1) }
        asm.code()
                .label("from").op(26).call(leaf, "explode", "(I)I").op(172)
                .label("to").op(87, 26, 4, 96).call(leaf, "leaf", "(I)I").op(172)
                .handler("from", "to", "to")
                .end(Asm.PUBLIC | Asm.STATIC, "caught", "(I)I", 2, 1);
        apart(asm, self);
        if (version < 50) {
            // static int sub(int n): a finally block as a subroutine, called twice
            asm.code()
                    .jump(168, "sub").jump(168, "sub").op(26, 172)
                    .label("sub").op(76).op(26).call(leaf, "leaf", "(I)I").op(59).op(169, 1)
                    .end(Asm.PUBLIC | Asm.STATIC, "sub", "(I)I", 2, 2);
            // static int subThrows(int n): the subroutine runs on the way out of an exception
            asm.code()
                    .label("from").op(26).call(leaf, "explode", "(I)I").op(87).jump(168, "sub").op(26, 172)
                    .label("to").op(77).jump(168, "sub").op(44, 191)
                    .label("sub").op(76).op(26).call(leaf, "leaf", "(I)I").op(87).op(169, 1)
                    .handler("from", "to", "to")
                    .end(Asm.PUBLIC | Asm.STATIC, "subThrows", "(I)I", 2, 3);
        }
        // static int pick(int n): a switch at every padding
        for (int pad = 0; pad < 4; pad++) {
            Asm.Code code = asm.code();
            for (int i = 0; i < pad; i++) {
                code.op(0);
            }
            code.op(26).tableswitch("a", "b", "c")
                    .label("a").op(26).call(leaf, "leaf", "(I)I").op(172)
                    .label("b").op(26).call(leaf, "leaf", "(I)I").op(4, 96, 172)
                    .label("c").op(3, 172)
                    .end(Asm.PUBLIC | Asm.STATIC, "pick" + pad, "(I)I", 2, 1);
        }
        return asm.finish();
    }

    private static int call(Class<?> c, String name, int n) throws Exception {
        Method method = c.getMethod(name, int.class);
        try {
            return (int) method.invoke(null, n);
        } catch (java.lang.reflect.InvocationTargetException e) {
            Check.here();
            return -1;
        }
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int version = 45; version <= 50; version++) {
            Class<?> c = new Bytes().define("old.Version" + version, old(version));
            for (int round = 0; round < 20; round++) {
                sum += call(c, "sum", 20);
                sum += call(c, "caught", round);
                if (version < 50) {
                    sum += call(c, "sub", round);
                    sum += call(c, "subThrows", round);
                }
                for (String apart : new String[] {"locals", "objectCaller", "arrayCaller", "argumentCaller", "constructors"}) {
                    sum += call(c, apart, round % 2);
                }
                for (int pad = 0; pad < 4; pad++) {
                    sum += call(c, "pick" + pad, round % 3);
                }
            }
        }
        System.out.println(sum);
        Check.done("OldClasses");
    }
}
