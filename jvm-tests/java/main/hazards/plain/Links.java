package hazards.plain;

/** Excluded by the driver: uninstrumented code that stands between instrumented methods, one class for each way. */
public final class Links {
    /** What the static initialisers below run. */
    public static Runnable onInit = () -> {};

    private Links() {}

    /** Initialised by the first {@code new}. */
    public static class ByNew {
        static {
            onInit.run();
        }
    }

    /** Initialised by the first {@code new} that is a method's first instruction. */
    public static class AtStart {
        static {
            onInit.run();
        }
    }

    /** A shape that instrumented classes implement too. */
    public interface Shape {
        /** Leaves something behind. */
        int area(int n);
    }

    /** Asks its shape twice, swallowing what the first call throws. */
    public static final class Twice implements Shape {
        private final Shape shape;

        /** Of this shape. */
        public Twice(Shape shape) {
            this.shape = shape;
        }

        @Override
        public int area(int n) {
            int sum = 0;
            for (int i = 0; i < 2; i++) {
                try {
                    sum += shape.area(n - i);
                } catch (IllegalStateException e) {
                    sum++;
                }
            }
            return sum;
        }
    }

    /** Asks its shape twice; loaded when the shape has been asked directly already. */
    public static final class LateTwice implements hazards.Mechanisms.LateShape {
        private final hazards.Mechanisms.LateShape shape;

        /** Of this shape. */
        public LateTwice(hazards.Mechanisms.LateShape shape) {
            this.shape = shape;
        }

        @Override
        public int lateArea(int n) {
            return shape.lateArea(n) + shape.lateArea(n + 1);
        }
    }

    /** A static method with the name and descriptor of an instrumented one, which it calls twice. */
    public static int same(int n) {
        return hazards.Mechanisms.Direct.same(n) + hazards.Mechanisms.Direct.same(n + 1);
    }

    /** Runs {@code first}, swallowing what it throws, then {@code then}. */
    public static void attempt(Runnable first, Runnable then) {
        try {
            first.run();
        } catch (RuntimeException e) {
            // Gone on from.
        }
        then.run();
    }

    /** Makes instrumented objects, from uninstrumented code and without reflection, then runs {@code then}. */
    public static void make(int which, Runnable then) {
        try {
            switch (which) {
                case 0: new hazards.Mechanisms.ThrowsBefore(1); break;
                case 1: new hazards.Mechanisms.ThrowsAfter(1); break;
                case 2: new hazards.Mechanisms.Made(1); break;
                default: new hazards.Mechanisms.OverThrowing(1); break;
            }
        } catch (RuntimeException e) {
            // Gone on from.
        }
        then.run();
    }

    /** A superclass that throws out of {@code super()}. */
    public static class Throwing {
        /** Always. */
        public Throwing() {
            throw new IllegalStateException("super");
        }
    }

    /** A loader whose Java code calls instrumented code while the JVM resolves a class. */
    public static class Loader extends ClassLoader {
        private final Runnable onLoad;
        private final String own;

        /** Defines {@code own} itself; runs {@code onLoad} for each class it is asked for. */
        public Loader(ClassLoader parent, String own, Runnable onLoad) {
            super(parent);
            this.own = own;
            this.onLoad = onLoad;
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            onLoad.run();
            return name.equals(own) ? define(name) : super.loadClass(name);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            try (java.io.InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
