package hazards;

import hazards.plain.Asm;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Classes with a few bytes changed at random, mostly of their code: the JVM takes or refuses each with hooks as it does without.
 * They are linked, never run; with hooks the JVM may come upon something else that is wrong first. The arguments are the first seed and how many.
 */
public final class Mutants {
    private static final String[] CLASSES = {
        "EarlyReturns", "ConstructorThrows", "ExceptionUnwind", "Handles", "Callbacks", "Delegation", "Members", "Recursion",
        "LineTables", "OldClasses", "Warm", "Origins", "Captures", "StaticInit", "Tasks", "FailingSupers", "EarlyReturns$Deep",
    };
    private static final int[] VERSIONS = {45, 46, 48, 49, 50, 51, 52, 55};
    /** nop, aconst_null, constants, loads, stores, dups, swap, jumps, jsr, ret, returns, new, athrow, monitors, wide. */
    private static final int[] OPCODES = {
        0, 1, 3, 9, 21, 25, 42, 43, 54, 58, 59, 75, 76, 87, 88, 89, 90, 91, 92, 93, 94, 95, 132, 153, 167, 168, 169, 172, 173, 176, 177, 187, 191,
        194, 195, 196,
    };

    private Mutants() {}

    /** Where the Code attributes of a class file are, begin and end, and behind them all that follows the pool's count, and all that follows the pool. */
    private static List<int[]> parts(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int count = in.getShort(8) & 0xFFFF;
        in.position(10);
        String[] texts = new String[count];
        for (int i = 1; i < count; i++) {
            int tag = in.get();
            if (tag == 1) {
                byte[] text = new byte[in.getShort() & 0xFFFF];
                in.get(text);
                texts[i] = new String(text, java.nio.charset.StandardCharsets.ISO_8859_1);
            } else {
                int size = tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 2 : tag == 15 ? 3 : tag == 5 || tag == 6 ? 8 : 4;
                in.position(in.position() + size);
                i += size == 8 ? 1 : 0;
            }
        }
        int pool = in.position();
        in.position(in.position() + 6);
        in.position(in.position() + 2 + 2 * (in.getShort(in.position()) & 0xFFFF));
        List<int[]> parts = new ArrayList<>();
        for (int members = 0; members < 2; members++) {
            for (int left = in.getShort() & 0xFFFF; left > 0; left--) {
                in.position(in.position() + 6);
                for (int attributes = in.getShort() & 0xFFFF; attributes > 0; attributes--) {
                    String name = texts[in.getShort() & 0xFFFF];
                    int end = in.getInt() + in.position();
                    if (name.equals("Code")) {
                        parts.add(new int[] {in.position(), end});
                    }
                    in.position(end);
                }
            }
        }
        parts.add(new int[] {10, bytes.length});
        parts.add(new int[] {pool, bytes.length});
        return parts;
    }

    private static byte[] mutant(byte[] plain, List<int[]> parts, Random random) {
        byte[] bytes = plain.clone();
        if (random.nextInt(4) == 0) {
            bytes[7] = (byte) VERSIONS[random.nextInt(VERSIONS.length)];
        }
        int codes = parts.size() - 2;
        boolean anywhere = random.nextInt(4) == 0;
        int[] part = parts.get(anywhere ? codes + random.nextInt(2) : random.nextInt(codes));
        for (int left = random.nextInt(3); left >= 0; left--) {
            int length = part[1] - part[0];
            if (!anywhere && random.nextInt(3) != 0) {
                // The head of the attribute, or its instructions with the head.
                int code = (bytes[part[0] + 6] & 0xFF) << 8 | bytes[part[0] + 7] & 0xFF;
                length = random.nextInt(6) == 0 ? 4 : Math.min(length, 8 + code);
            }
            int at = part[0] + random.nextInt(length);
            switch (random.nextInt(5)) {
                case 0:
                    bytes[at] = (byte) random.nextInt();
                    break;
                case 1:
                    bytes[at] += random.nextBoolean() ? 1 : -1;
                    break;
                case 2:
                    bytes[at] = bytes[part[0] + random.nextInt(part[1] - part[0])];
                    break;
                case 3:
                    bytes[at] = (byte) random.nextInt(8);
                    break;
                default:
                    bytes[at] = (byte) OPCODES[random.nextInt(OPCODES.length)];
            }
        }
        return bytes;
    }

    private static String outcome(String name, byte[] bytes) {
        try {
            // Which links it.
            new Bytes().define(name, bytes).getDeclaredMethods();
            return "taken";
        } catch (LinkageError e) {
            return "refused";
        }
    }

    public static void main(String[] args) throws ClassNotFoundException {
        int first = args.length > 0 ? Integer.parseInt(args[0]) : 0;
        int count = args.length > 1 ? Integer.parseInt(args[1]) : 4000;
        byte[][] plain = new byte[CLASSES.length][];
        List<List<int[]>> parts = new ArrayList<>();
        for (int i = 0; i < plain.length; i++) {
            plain[i] = Bytes.read("hazards." + CLASSES[i]);
            parts.add(parts(plain[i]));
        }
        for (int seed = first; seed < first + count; seed++) {
            Random random = new Random(seed);
            int which = random.nextInt(plain.length);
            byte[] bytes = mutant(plain[which], parts.get(which), random);
            System.out.println(seed + " " + CLASSES[which] + " " + outcome("hazards." + CLASSES[which], bytes));
        }
        Check.here();
        Check.doneRacy("Mutants");
    }
}
