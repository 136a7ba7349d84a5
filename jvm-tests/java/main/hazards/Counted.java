package hazards;

import hazards.plain.Asm;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts its own allocations and invocations by context and prints what it expects of the log: kind, class, outermost to innermost method,
 * number and bytes. What is counted stands in methods named {@code make...}, in their classes' constructors and initialisers, and in
 * {@code clone}; the arguments are the bytes before the fields of an object and the elements of an array, and the JVM's alignment.
 */
public final class Counted {
    /** Rounds of each loop that the JVM should compile. */
    private static final int TIMES = 20_000;
    private static final Map<String, long[]> EXPECTED = new TreeMap<>();
    private static long header = 12;
    private static long base = 16;
    private static long alignment = 8;

    static volatile Object sink;

    private Counted() {}

    public static class Plain {
        int field;
        Object other;

        public Plain() {}

        Plain(Object other) {
            this.other = other;
        }
    }

    /** Makes something before {@code super(...)}, on two ways. */
    static final class Derived extends Plain {
        Derived(boolean makes) {
            super(new Plain(makes ? new int[2] : null));
        }
    }

    static final class Initialised {
        static final byte[] BYTES = new byte[100];

        Initialised() {}
    }

    static class Cell implements Cloneable {
        long value;

        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    /** Its {@code clone} calls that of an application class, which counts. */
    static final class SmallCell extends Cell {
        byte more;

        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    static class Base implements Cloneable {
        int value;
    }

    /** {@code super.clone()} and {@code clone()} are those of {@code Object}, two classes up. */
    static class Copied extends Base {
        Object makeBySuper() throws CloneNotSupportedException {
            return super.clone();
        }

        Object makeByName() throws CloneNotSupportedException {
            return clone();
        }
    }

    /** Whose {@code clone} makes something else. */
    static final class Deceiver extends Copied {
        private final Copied other = new Copied();

        @Override
        protected Object clone() {
            return other;
        }
    }

    /** Whose {@code clone} makes nothing, which whoever extends it knows. */
    static class Refusing implements Cloneable {
        @Override
        protected Object clone() throws CloneNotSupportedException {
            return null;
        }
    }

    static final class Insisting extends Refusing {
        @Override
        protected Object clone() throws CloneNotSupportedException {
            Object made = super.clone();
            return made == null ? "mine" : made;
        }
    }

    private static long aligned(long bytes) {
        return (bytes + alignment - 1) / alignment * alignment;
    }

    private static long object(long fields) {
        return aligned(header + fields);
    }

    private static long array(long length, long scale) {
        return aligned(base + length * scale);
    }

    static synchronized void expect(String kind, String what, String path, long count, long bytes) {
        long[] sums = EXPECTED.computeIfAbsent(kind + " " + what + " " + path, key -> new long[2]);
        sums[0] += count;
        sums[1] += bytes;
    }

    static Object makePlain() {
        return new Plain();
    }

    static Object makeDerived(boolean makes) {
        return new Derived(makes);
    }

    static Object makeInitialised() {
        return new Initialised();
    }

    static int[] makeInts(int length) {
        return new int[length];
    }

    static Object makeStrings(int length) {
        return new String[length];
    }

    static Object makeInner(int length) {
        return new byte[length][];
    }

    static Object makeMany(int outer, int inner) {
        return new int[outer][inner];
    }

    static Object makeSome(int outer, int inner) {
        return new byte[outer][inner][];
    }

    static Object makeClone(int[] ints) {
        return ints.clone();
    }

    static Object makeCell(Cell cell) throws CloneNotSupportedException {
        return cell.clone();
    }

    static Object makeChosen(boolean first) {
        return first ? new Plain() : new Base();
    }

    private static void instances() {
        for (int i = 0; i < 3 * TIMES; i++) sink = makePlain();
        expect("alloc", "hazards.Counted$Plain", "main>instances>makePlain", 3 * TIMES, 3 * TIMES * object(8));
        for (int i = 0; i < 10; i++) sink = makeDerived(i % 2 == 0);
        expect("alloc", "hazards.Counted$Derived", "main>instances>makeDerived", 10, 10 * object(8));
        expect("alloc", "hazards.Counted$Plain", "main>instances>makeDerived><init>", 10, 10 * object(8));
        expect("alloc", "int[]", "main>instances>makeDerived><init>", 5, 5 * array(2, 4));
        for (int i = 0; i < 3; i++) sink = makeInitialised();
        expect("alloc", "hazards.Counted$Initialised", "main>instances>makeInitialised", 3, 3 * object(0));
        expect("alloc", "byte[]", "main>instances>makeInitialised><clinit>", 1, array(100, 1));
        for (int i = 0; i < 30; i++) sink = makeChosen(i % 3 == 0);
        expect("alloc", "hazards.Counted$Plain", "main>instances>makeChosen", 10, 10 * object(8));
        expect("alloc", "hazards.Counted$Base", "main>instances>makeChosen", 20, 20 * object(4));
    }

    private static void arrays() {
        long bytes = 0;
        for (int i = 0; i < TIMES; i++) {
            sink = makeInts(i % 17);
            bytes += array(i % 17, 4);
        }
        expect("alloc", "int[]", "main>arrays>makeInts", TIMES, bytes);
        try {
            makeInts(-1);
        } catch (NegativeArraySizeException e) {
            sink = makeStrings(3);
        }
        expect("alloc", "java.lang.String[]", "main>arrays>makeStrings", 1, array(3, 4));
        sink = makeInner(5);
        expect("alloc", "byte[][]", "main>arrays>makeInner", 1, array(5, 4));
        for (int i = 0; i < 100; i++) sink = makeMany(3, i);
        bytes = 0;
        for (int i = 0; i < 100; i++) bytes += 3 * array(i, 4);
        expect("alloc", "int[][]", "main>arrays>makeMany", 100, 100 * array(3, 4));
        expect("alloc", "int[]", "main>arrays>makeMany", 300, bytes);
        sink = makeMany(0, 9);
        expect("alloc", "int[][]", "main>arrays>makeMany", 1, array(0, 4));
        sink = makeSome(2, 3);
        expect("alloc", "byte[][][]", "main>arrays>makeSome", 1, array(2, 4));
        expect("alloc", "byte[][]", "main>arrays>makeSome", 2, 2 * array(3, 4));
    }

    private static void clones() throws CloneNotSupportedException {
        for (int i = 0; i < 50; i++) sink = makeClone(new int[i]);
        long bytes = 0;
        for (int i = 0; i < 50; i++) bytes += array(i, 4);
        expect("alloc", "int[]", "main>clones>makeClone", 50, bytes);
        // A long begins at a multiple of 8.
        long cell = (header + 7) / 8 * 8 + 8;
        for (int i = 0; i < 20; i++) sink = makeCell(i % 2 == 0 ? new Cell() : new SmallCell());
        expect("alloc", "hazards.Counted$Cell", "main>clones>makeCell>clone", 10, 10 * aligned(cell));
        expect("alloc", "hazards.Counted$SmallCell", "main>clones>makeCell>clone>clone", 10, 10 * aligned(small(cell)));
        Copied copied = new Copied();
        for (int i = 0; i < 7; i++) {
            sink = copied.makeBySuper();
            sink = copied.makeByName();
        }
        Copied deceiver = new Deceiver();
        Check.equal("mine", new Insisting().clone());
        for (int i = 0; i < 7; i++) sink = deceiver.makeByName();
        expect("alloc", "hazards.Counted$Copied", "main>clones>makeBySuper", 7, 7 * object(4));
        expect("alloc", "hazards.Counted$Copied", "main>clones>makeByName", 7, 7 * object(4));
    }

    /** Classes of versions 45 to 50, of which only the last two may name a class as a constant. */
    private static void olds() throws Exception {
        String made = "hazards/Counted$Plain";
        for (int version = 45; version <= 50; version++) {
            Asm asm = new Asm(version, "old/Version" + version, "java/lang/Object");
            asm.code()
                    .op2(187, asm.type(made)).op(89).op2(183, asm.method(made, "<init>", "()V")).op(176)
                    .end(Asm.PUBLIC | Asm.STATIC, "makeOld", "()Ljava/lang/Object;", 2, 0);
            Method makes = new Bytes().define("old.Version" + version, asm.finish()).getMethod("makeOld");
            for (int i = 0; i < 5; i++) sink = makes.invoke(null);
        }
        expect("alloc", "hazards.Counted$Plain", "main>olds>makeOld", 30, 30 * object(8));
    }

    /** A byte that follows a cell: before its long from JDK 15 on where there is room, else behind it. */
    private static long small(long cell) {
        boolean fills = Runtime.version().feature() >= 15 && header % 8 != 0;
        return fills ? cell : cell + 1;
    }

    static void makeAtDepth(int depth, String path) {
        sink = new Plain();
        expect("alloc", "hazards.Counted$Plain", path, 1, object(8));
        if (depth > 0) {
            recur(depth - 1, path + ">recur>makeAtDepth");
            if (depth % 3 == 0) makeAtDepth(0, path + ">makeAtDepth");
        }
    }

    private static void recur(int depth, String path) {
        makeAtDepth(depth, path);
    }

    static void makeCalledBack(Object each) {
        sink = new byte[each.hashCode() & 1];
    }

    private static void callbacks() {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < 40; i++) list.add(i);
        list.forEach(Counted::makeCalledBack);
        // A method reference is a call of the JDK's hidden class: the frame below is the program's again.
        expect("alloc", "byte[]", "main>callbacks>makeCalledBack", 40, 20 * array(0, 1) + 20 * array(1, 1));
    }

    static void makeInThread() {
        for (int i = 0; i < TIMES / 2; i++) {
            sink = makePlain();
            makeHot(i);
        }
    }

    static int makeHot(int i) {
        return i < 3 ? i : i * 31 + 7;
    }

    private static void threads(boolean virtual) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Runnable run = new Runnable() {
                @Override
                public void run() {
                    makeInThread();
                }
            };
            Thread thread = virtual ? (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run) : new Thread(run);
            if (!virtual) thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) thread.join();
        expect("alloc", "hazards.Counted$Plain", "run>makeInThread>makePlain", 2 * TIMES, 2 * TIMES * object(8));
        expect("entry", "-", "run>makeInThread>makeHot", 2 * TIMES, 2 * TIMES);
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            header = Long.parseLong(args[0]);
            base = Long.parseLong(args[1]);
            alignment = Long.parseLong(args[2]);
        }
        instances();
        arrays();
        clones();
        olds();
        for (int i = 0; i < 4; i++) makeAtDepth(12, "main>makeAtDepth");
        callbacks();
        for (int i = 0; i < 1_000; i++) makeHot(i);
        expect("entry", "-", "main>makeHot", 1_000, 1_000);
        threads(false);
        if (Runtime.version().feature() >= 21) threads(true);
        EXPECTED.forEach((key, sums) -> System.out.println(key + " " + sums[0] + " " + sums[1]));
    }
}
