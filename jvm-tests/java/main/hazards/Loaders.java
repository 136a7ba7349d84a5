package hazards;

import java.util.function.Supplier;

/** Class loaders written in Java, called up by the JVM at every instruction that can load, and where no instruction says so. */
public final class Loaders {
    private Loaders() {}

    /** Overrides only findClass (as most loaders do): ClassLoader.loadClass of the JDK runs above it. */
    static final class Copying extends Bytes {
        Copying() {
            super(new Filter(Loaders.class.getClassLoader()));
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Check.here();
            return super.findClass(name);
        }
    }

    /** Hides the copies of the class path, so that the child's findClass is asked. */
    static final class Filter extends ClassLoader {
        Filter(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Check.here();
            if (name.startsWith("hazards.Loaders$In")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    /** Overrides the loadClass that the JVM calls. */
    static final class Overriding extends Bytes {
        int asked;

        Overriding() {
            super(Loaders.class.getClassLoader());
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            asked++;
            Check.here();
            if (name.startsWith("hazards.Loaders$In")) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : helper(name);
            }
            return super.loadClass(name);
        }

        private Class<?> helper(String name) throws ClassNotFoundException {
            Check.here();
            return copy(name);
        }
    }

    /** Fails with an unchecked exception for one class: it leaves through the JVM. */
    static final class Failing extends Bytes {
        Failing() {
            super(Loaders.class.getClassLoader());
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            Check.here();
            if (name.equals("hazards.Loaders$InMissing")) {
                throw new IllegalStateException("failing loader");
            }
            if (name.startsWith("hazards.Loaders$In") && findLoadedClass(name) == null) {
                return copy(name);
            }
            return super.loadClass(name);
        }
    }

    public static class InBase {
        int base() {
            Check.here();
            return 1;
        }
    }

    public static class InChild extends InBase implements InFace {
        @Override
        int base() {
            return super.base() + face();
        }
    }

    interface InFace {
        default int face() {
            Check.here();
            return 2;
        }
    }

    public static class InArray {}

    public static class InCast {}

    public static class InInstance {}

    public static class InLiteral {}

    public static class InLate {}

    public static class InTail {}

    public static class InLoop {}

    public static class InMissing {
        static int never() {
            return 0;
        }
    }

    public static class InProblem extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    public static class InStatic {
        static int value = start();

        static int start() {
            Check.here();
            return 3;
        }
    }

    /** The body: loaded by a loader under test, so every name in it is resolved there. */
    public static class InBody implements Supplier<Integer> {
        @Override
        public Integer get() {
            int sum = add(new InChild().base(), InStatic.value);
            sum += arrays().length;
            sum += cast("text") + instance("text");
            sum += InLiteral.class.getName().length();
            Check.here();
            sum += caught(null) + caught("x") + missing();
            sum += late("text", 1) + late("text", 0) + tail(2) + tail(0) + loop(new Object[] {null, "x", 3}, 1);
            Supplier<InBase> lambda = InChild::new;
            sum += lambda.get().base();
            return add(sum, 1);
        }

        static int add(int a, int b) {
            Check.here();
            return a + b;
        }

        static Object[] arrays() {
            Object[] a = new InArray[2];
            Check.here();
            return new InCast[2][1].length > 1 ? a : null;
        }

        static int cast(Object o) {
            try {
                return ((InCast) o).hashCode();
            } catch (ClassCastException e) {
                return add(1, 1);
            }
        }

        static int instance(Object o) {
            return o instanceof InInstance ? 1 : add(2, 2);
        }

        /** Loads before the activation has its word, for it may return without one. */
        static int late(Object o, int how) {
            if (o instanceof InLate) {
                return 1;
            }
            if (how == 0) {
                return 0;
            }
            return add(how, 2);
        }

        /** Loads where one way has led through the entry, and another has not. */
        static int tail(int how) {
            int sum = 0;
            Object o = "tail";
            if (how == 2) {
                sum = add(how, 1);
            }
            return o instanceof InTail ? sum : sum + 1;
        }

        /** The entry stands before the loop, whose body alone calls. */
        static int loop(Object[] all, int least) {
            if (all == null) {
                return 0;
            }
            int sum = 0;
            for (Object one : all) {
                if (one instanceof InLoop || sum > least) {
                    sum += add(sum, 1);
                }
            }
            return least > 0 ? add(sum, least) : sum;
        }

        /** Resolving the catch type loads it, with the exception in flight. */
        static int caught(Object o) {
            try {
                try {
                    return add(o.hashCode() * 0, 1);
                } catch (InProblem e) {
                    return add(7, 7);
                }
            } catch (NullPointerException e) {
                return add(3, 3);
            }
        }

        static int missing() {
            try {
                return InMissing.never();
            } catch (IllegalStateException | LinkageError e) {
                return add(4, 4) - 8;
            }
        }
    }

    static int through(Bytes loader, boolean copies) throws Exception {
        if (copies) {
            for (Class<?> c : Loaders.class.getDeclaredClasses()) {
                if (c.getSimpleName().startsWith("In")) {
                    loader.with(c.getName(), Bytes.read(c.getName()));
                }
            }
        }
        Check.here();
        Class<?> body = loader.loadClass("hazards.Loaders$InBody");
        Check.equal(loader, body.getClassLoader());
        Supplier<?> supplier = (Supplier<?>) body.getDeclaredConstructor().newInstance();
        int first = (Integer) supplier.get();
        Check.here();
        Check.equal(first, supplier.get());
        return first;
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 8; round++) {
            int a = through(new Copying(), true);
            int b = through(new Overriding(), false);
            int c = through(new Failing(), false);
            Check.equal(a, b);
            Check.equal(a, c);
            Check.here();
        }
        // How often the JVM itself asks a loader is its own business (verification, CDS), so no count is printed.
        Check.doneRacy("Loaders");
    }
}
