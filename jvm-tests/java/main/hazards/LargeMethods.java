package hazards;

import hazards.plain.Asm;
import java.lang.reflect.Method;

/** Methods with 250 and more locals, with 255 parameter slots, with code near 64 KiB, and with jumps that must grow. */
public final class LargeMethods {
    private static final String SELF = "hazards/LargeMethods";

    private LargeMethods() {}

    public static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    /** Every call has a context of its own; a check at each of thousands is not needed to see a shift. */
    public static int count(int n) {
        if (n % 512 == 0) {
            Check.here();
        }
        return n + 1;
    }

    static byte[] locals(int locals) {
        Asm asm = new Asm(49, "large/Locals" + locals, "java/lang/Object");
        asm.code()
                .op(26).local(54, locals - 1)
                .local(21, locals - 1).call(SELF, "leaf", "(I)I").local(54, locals - 1)
                .label("from").local(21, locals - 1).call(SELF, "leaf", "(I)I").op(3, 108).label("to").op(172)
                .label("handler").op(87).local(21, locals - 1).call(SELF, "leaf", "(I)I").op(172)
                .handler("from", "to", "handler")
                .end(Asm.PUBLIC | Asm.STATIC, "run", "(I)I", 2, locals);
        return asm.finish();
    }

    static byte[] parameters() {
        StringBuilder desc = new StringBuilder("(");
        for (int i = 0; i < 255; i++) {
            desc.append('I');
        }
        desc.append(")I");
        Asm asm = new Asm(49, "large/Parameters", "java/lang/Object");
        asm.code().local(21, 254).call(SELF, "leaf", "(I)I").op(172)
                .end(Asm.PUBLIC | Asm.STATIC, "wide", desc.toString(), 1, 255);
        Asm.Code code = asm.code();
        for (int i = 0; i < 255; i++) {
            code.op(26);
        }
        code.call("large/Parameters", "wide", desc.toString()).op(172)
                .end(Asm.PUBLIC | Asm.STATIC, "run", "(I)I", 255, 1);
        return asm.finish();
    }

    /** `size` bytes: blocks of a call and filling, with a jump from the start over half of it and one back. */
    static byte[] huge(int version, String name, int size, int gap, boolean jumps) {
        Asm asm = new Asm(version, "large/" + name, "java/lang/Object");
        Asm.Code code = asm.code();
        if (jumps) {
            code.op(26).jump(158, "half");
        }
        code.op(26);
        while (code.size() < size / 2 - gap) {
            code.call(SELF, "count", "(I)I");
            for (int i = 0; i < gap; i++) {
                code.op(0);
            }
        }
        code.op(172);
        if (jumps) {
            code.label("back").op(3, 172).label("half").op(26).jump(154, "back");
        }
        code.op(26);
        while (code.size() < size - gap - 8) {
            code.call(SELF, "count", "(I)I");
            for (int i = 0; i < gap; i++) {
                code.op(0);
            }
        }
        code.op(172);
        if (!jumps) {
            // Without jumps (so without frames) only one straight line may remain.
            asm = new Asm(version, "large/" + name, "java/lang/Object");
            code = asm.code().op(26);
            while (code.size() < size - gap - 8) {
                code.call(SELF, "count", "(I)I");
                for (int i = 0; i < gap; i++) {
                    code.op(0);
                }
            }
            code.op(172);
        }
        return code.end(Asm.PUBLIC | Asm.STATIC, name, "(I)I", 2, 1).finish();
    }

    /** Only filling to the last byte: hooks cannot fit. */
    static byte[] tooLarge() {
        Asm asm = new Asm(49, "large/tooLarge", "java/lang/Object");
        Asm.Code code = asm.code().op(26).call(SELF, "leaf", "(I)I");
        while (code.size() < 65_530) {
            code.op(0);
        }
        return code.call(SELF, "leaf", "(I)I").op(172)
                .end(Asm.PUBLIC | Asm.STATIC, "tooLarge", "(I)I", 2, 1)
                .code().op(26).call("large/tooLarge", "tooLarge", "(I)I").op(172)
                .end(Asm.PUBLIC | Asm.STATIC, "run", "(I)I", 2, 1)
                .finish();
    }

    private static int run(String name, String method, byte[] bytes, int argument) throws Exception {
        Method m = new Bytes().define("large." + name, bytes).getMethod(method, int.class);
        int sum = 0;
        for (int round = 0; round < 4; round++) {
            sum += (int) m.invoke(null, argument);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int locals : new int[] {2, 250, 251, 252, 253, 254, 255, 256, 257, 300, 32_767, 65_500}) {
            sum += run("Locals" + locals, "run", locals(locals), 5);
        }
        sum += run("Parameters", "run", parameters(), 5);
        for (int version : new int[] {49, 50, 55}) {
            boolean jumps = version < 50;
            sum += run("Compact" + version, "Compact" + version, huge(version, "Compact" + version, 7_900, 20, jumps), 1);
            sum += run("Half" + version, "Half" + version, huge(version, "Half" + version, 40_000, 60, jumps), 1);
            sum += run("Full" + version, "Full" + version, huge(version, "Full" + version, 60_000, 400, jumps), 1);
            sum += run("Full" + version, "Full" + version, huge(version, "Full" + version, 60_000, 400, jumps), jumps ? -1 : 1);
        }
        sum += run("tooLarge", "run", tooLarge(), 1);
        System.out.println(sum);
        Check.done("LargeMethods");
    }
}
