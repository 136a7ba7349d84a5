package hazards;

import hazards.plain.Asm;

/**
 * LineNumberTables that javac does not write, and Clojure does: several lines for one index, indices out of order, two tables, and
 * an index within an instruction. The lines that the JVM gives are printed.
 */
public final class LineTables {
    private static final int[][][] TABLES = {
        {{0, 10, 0, 11}},
        {{0, 20, 3, 21, 3, 22, 3, 23, 9, 24}},
        {{3, 31, 6, 32, 0, 30, 3, 33, 0, 34}},
        {{0, 40, 3, 41}, {0, 42, 3, 43}},
        {{0, 50, 1, 51, 1, 52, 6, 53}},
        {{3, 60, 3, 61, 6, 62, 6, 63, 9, 64, 9, 65}},
        {{0, 70, 6, 71, 6, 72, 7, 73, 8, 74}},
    };

    /** Those of a method with a {@code new} at 0, a call at 4 and another {@code new} at 7. */
    private static final int[][] MAKING = {
        {0, 80, 0, 81, 4, 82, 4, 83, 7, 84, 7, 85},
        {0, 90, 0, 91, 3, 92, 4, 93},
        {7, 102, 7, 103, 0, 100, 0, 101},
    };

    private LineTables() {}

    /** Prints the line of the caller, as the JVM has it. */
    public static void where() {
        Check.here();
        System.out.print(" " + new Throwable().getStackTrace()[1].getLineNumber());
    }

    private static byte[] tabled() {
        Asm asm = new Asm(49, "lines/Tabled", "java/lang/Object");
        for (int i = 0; i < TABLES.length; i++) {
            Asm.Code code = asm.code();
            for (int[] table : TABLES[i]) {
                code.lines(table);
            }
            // Four calls, at 0, 3, 6 and 9.
            for (int call = 0; call < 4; call++) {
                code.call("hazards/LineTables", "where", "()V");
            }
            code.op(177).end(Asm.PUBLIC | Asm.STATIC, "m" + i, "()V", 0, 0);
        }
        int object = asm.type("java/lang/Object");
        for (int i = 0; i < MAKING.length; i++) {
            Asm.Code code = asm.code().lines(MAKING[i]);
            code.op2(187, object).op(87).call("hazards/LineTables", "where", "()V").op2(187, object).op(87);
            code.op(177).end(Asm.PUBLIC | Asm.STATIC, "n" + i, "()V", 1, 0);
        }
        return asm.finish();
    }

    public static void main(String[] args) throws Exception {
        Class<?> c = new Bytes().define("lines.Tabled", tabled());
        for (int i = 0; i < TABLES.length; i++) {
            System.out.print("m" + i);
            c.getMethod("m" + i).invoke(null);
            System.out.println();
        }
        for (int i = 0; i < MAKING.length; i++) {
            System.out.print("n" + i);
            c.getMethod("n" + i).invoke(null);
            System.out.println();
        }
        Check.done("LineTables");
    }
}
