package hazards;

import hazards.plain.Links;

/**
 * For each mechanism of exactness the smallest program that goes wrong without it; which one is the property {@code mechanism}.
 *
 * <p>The pattern: an activation ends and leaves its own place published, then uninstrumented code ({@code hazards.plain}) calls
 * {@link #seen}. The driver runs each once as it is, and once with the mechanism switched off, where the oracle must object. The property
 * {@code depth} lets it happen at the bottom of a recursion.
 */
public final class Mechanisms {
    private Mechanisms() {}

    /** Called back: its context is what is at stake. */
    static void seen() {
        Check.here();
    }

    /** Leaves a dead activation's place published. */
    public static int leaveBehind(int n) {
        return inner(n) + 1;
    }

    private static int inner(int n) {
        Check.here();
        return n;
    }

    static void clear() {
        Links.onInit = Mechanisms::seen;
        leaveBehind(1);
        new Links.ByNew();
    }

    /** As {@link #clear}, but what is called back is entered and left at once: one check can see that it is wrong. */
    static void clearBriefly() {
        Links.onInit = Mechanisms::brief;
        callBrief();
        new Links.ByNew();
    }

    private static void callBrief() {
        brief();
    }

    private static void brief() {
        // Leads nowhere, which Lucce cannot know.
        Thread.onSpinWait();
    }

    static void clearAtStart() {
        Links.onInit = Mechanisms::seen;
        atStart();
    }

    private static void atStart() {
        new Links.AtStart();
        leaveBehind(2);
    }

    /** Its class has an {@code equals} that calls on, as classes of the JDK have one that calls it. */
    static final class Element {
        @Override
        public boolean equals(Object other) {
            return leaveBehind(1) == 2;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static void interposableExit() {
        same(new Element(), new Element());
        same(java.util.List.of(new Element(), new Element(), new Element()), java.util.List.of(new Element(), new Element(), new Element()));
    }

    private static boolean same(Object a, Object b) {
        return a.equals(b);
    }

    /** A shape that calls on, and throws for odd numbers. */
    static final class Square implements Links.Shape {
        @Override
        public int area(int n) {
            leaveBehind(n);
            if (n % 2 == 1) {
                throw new IllegalStateException("odd");
            }
            return n * n;
        }
    }

    private static int areaOf(Links.Shape shape, int n) {
        return shape.area(n);
    }

    static void exceptionalStore() {
        Links.Shape square = new Square();
        areaOf(square, 2);
        areaOf(new Links.Twice(square), 3);
    }

    static void demotion() {
        LateShape square = new Late();
        areaOfLate(square, 2);
        areaOfLate(new Links.LateTwice(square), 4);
    }

    /** Implemented by instrumented code first, by uninstrumented code later. */
    public interface LateShape {
        /** Leaves something behind. */
        int lateArea(int n);
    }

    static final class Late implements LateShape {
        @Override
        public int lateArea(int n) {
            return leaveBehind(n);
        }
    }

    private static int areaOfLate(LateShape shape, int n) {
        return shape.lateArea(n);
    }

    /** Has the name and descriptor of a static method of uninstrumented code. */
    public static final class Direct {
        private Direct() {}

        /** Called by {@link Links#same}. */
        public static int same(int n) {
            return leaveBehind(n);
        }
    }

    static void look() {
        Links.same(1);
    }

    /** Throws while computing the arguments of {@code super}. */
    public static final class ThrowsBefore extends Object {
        private final int n;

        /** For {@link Links#make}. */
        public ThrowsBefore(int n) {
            this(leaveBehind(n), n / (n - 1));
        }

        private ThrowsBefore(int n, int m) {
            this.n = n + m;
        }
    }

    /** Throws behind {@code super}. */
    public static final class ThrowsAfter {
        private final int n;

        /** For {@link Links#make}. */
        public ThrowsAfter(int n) {
            this.n = leaveBehind(n);
            if (this.n > 0) {
                throw new IllegalStateException("after");
            }
        }
    }

    /** Comes to be, and leaves its place behind. */
    public static final class Made {
        final int n;

        /** For {@link Links#make}. */
        public Made(int n) {
            this.n = leaveBehind(n);
        }
    }

    /** Its superclass throws where no handler can be. */
    public static final class OverThrowing extends Links.Throwing {
        /** For {@link Links#make}. */
        public OverThrowing(int n) {
            super();
            leaveBehind(n);
        }
    }

    /** Loaded by {@link Links.Loader} or {@link OwnLoader}, to resolve {@link Asked} through it. */
    public static final class Asking implements Runnable {
        private boolean found;

        @Override
        public void run() {
            leaveBehind(3);
            found = new Object() instanceof Asked;
            leaveBehind(found ? 4 : 5);
        }
    }

    /** Only ever asked for. */
    public static final class Asked {}

    private static void ask(ClassLoader loader) throws Exception {
        ((Runnable) loader.loadClass(Asking.class.getName()).getDeclaredConstructor().newInstance()).run();
    }

    static void guard() throws Exception {
        ask(new Links.Loader(Mechanisms.class.getClassLoader(), Asking.class.getName(), Mechanisms::seen));
    }

    /** The same in instrumented code. */
    static final class OwnLoader extends ClassLoader {
        OwnLoader(ClassLoader parent) {
            super(parent);
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            seen();
            if (!name.equals(Asking.class.getName()) || findLoadedClass(name) != null) {
                return super.loadClass(name);
            }
            try (java.io.InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static void untrusted() throws Exception {
        ask(new OwnLoader(Mechanisms.class.getClassLoader()));
    }

    static void restoreAtExit() {
        Links.attempt(Mechanisms::leftBehind, Mechanisms::seen);
    }

    private static void leftBehind() {
        leaveBehind(1);
    }

    /** Calls itself {@code n} levels deep, but for level {@code turn}, which first lets a call from the same place return at once. */
    private static int goesOn(int n, int turn) {
        if (n < 0) {
            seen();
        }
        int levels = 1;
        for (int calls = n == turn ? 2 : 1; calls > 0 && n > 0; calls--) {
            levels += goesOn(calls == 2 ? 0 : n - 1, turn);
        }
        return levels;
    }

    /** At the bottom of a recursion of {@code depth} levels. */
    private static void run(int depth) throws Exception {
        if (depth > 0) {
            run(depth - 1);
            return;
        }
        switch (System.getProperty("mechanism")) {
            case "clear": clear(); break;
            case "clear_briefly": clearBriefly(); break;
            case "clear_at_start": clearAtStart(); break;
            case "interposable_exit": interposableExit(); break;
            case "exceptional_store": exceptionalStore(); break;
            case "demotion": demotion(); break;
            case "look": look(); break;
            case "handler_before_super": Links.make(0, Mechanisms::seen); break;
            case "handler_after_super": Links.make(1, Mechanisms::seen); break;
            case "constructor_exit_store": Links.make(2, Mechanisms::seen); break;
            case "constructor_unknown_at_super": Links.make(3, Mechanisms::seen); break;
            case "guard": guard(); break;
            case "untrusted": untrusted(); break;
            case "restore_at_exit": restoreAtExit(); break;
            case "restore_in_recursion": goesOn(3000, 1500); break;
            default: Check.fail("no such mechanism");
        }
    }

    public static void main(String[] args) throws Exception {
        run(Integer.getInteger("depth", 0));
        // Their number depends on what the JVM loads through the loaders above.
        Check.doneRacy("Mechanisms");
    }
}
