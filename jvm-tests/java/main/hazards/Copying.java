package hazards;

import java.util.Arrays;

/** Copies and fills arrays: most of its CPU time goes to stubs of the JVM's, which are no methods. */
public final class Copying {
    static final int LENGTH = 1 << 14;
    static final byte[] BYTES = new byte[LENGTH], OTHERS = new byte[LENGTH];
    static final Object[] OBJECTS = new Object[LENGTH], COPIES = new String[LENGTH];
    static final long[] NUMBERS = new long[LENGTH];

    private Copying() {}

    static void copy(int shift) {
        System.arraycopy(BYTES, 0, OTHERS, shift, LENGTH - shift);
        System.arraycopy(OTHERS, 0, OTHERS, shift, LENGTH - shift);
        System.arraycopy(OBJECTS, 0, COPIES, shift, LENGTH - shift);
        Arrays.fill(NUMBERS, shift);
    }

    public static void main(String[] args) {
        for (int turn = 0; turn < Integer.parseInt(args[0]); turn++) copy(turn & 7);
        System.out.println(OTHERS[0] + NUMBERS[0]);
    }
}
