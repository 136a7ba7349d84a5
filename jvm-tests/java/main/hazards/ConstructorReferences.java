package hazards;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.util.PriorityQueue;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Objects made by the JDK for the program ({@code Foo::new}, reflection, method handles), whose constructors call constructors: the JDK
 * stands below the first of them, and an exception out of {@code super(...)} passes it unseen. Afterwards the JDK itself may call the
 * very constructor that was called last from there.
 */
public final class ConstructorReferences {
    static int made;

    private ConstructorReferences() {}

    static class Base extends PriorityQueue<Object> {
        Base(int capacity) {
            super(capacity + 1);
            Check.here();
            made++;
        }

        Base() {
            this(made(3));
            Check.here();
        }
    }

    static class Middle extends Base {
        Middle(int capacity) {
            super(made(capacity));
            Check.here();
        }
    }

    static final class Leaf extends Middle {
        final Object inner;

        Leaf(int capacity) {
            super(capacity);
            inner = capacity % 7 == 1 ? new Leaf(capacity - 1) : null;
            Check.here();
        }
    }

    /** Made by {@link Caught} alone, at two places: so its numbers are not those of its caller. */
    static final class Last extends PriorityQueue<Object> {
        Last(int capacity) {
            super(capacity + 1);
            Check.here();
        }
    }

    /** An argument computed before {@code super(...)}. */
    static int made(int capacity) {
        Check.here();
        return capacity;
    }

    static Object fallback(Throwable thrown, int capacity) {
        Check.here();
        return thrown;
    }

    private static Object reflected(Constructor<?> constructor, int capacity) throws ReflectiveOperationException {
        try {
            return constructor.newInstance(capacity);
        } catch (java.lang.reflect.InvocationTargetException e) {
            Check.here();
            return e.getCause();
        }
    }

    /** Calls constructors that fail and, behind them, constructors again: in the JDK's frames, which the JVM hides. */
    static final class Caught implements IntConsumer {
        private final MethodHandle[] handles;
        private final MethodHandle told;

        Caught(MethodHandle[] handles, MethodHandle told) {
            this.handles = handles;
            this.told = told;
        }

        @Override
        public void accept(int round) {
            try {
                for (MethodHandle handle : handles) {
                    Object one = (Object) handle.invokeExact(round % 4 - 2);
                    Object two = (Object) handle.invokeExact(round % 3 - 1);
                    made += one == two ? 1 : 0;
                }
                Object thrown = (Object) told.invokeExact(-1);
                made += thrown instanceof IllegalArgumentException ? 1 : 0;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType type = MethodType.methodType(void.class, int.class);
        MethodType object = MethodType.methodType(Object.class, int.class);
        MethodHandle leaf = lookup.findConstructor(Leaf.class, type).asType(object);
        MethodHandle middle = lookup.findConstructor(Middle.class, type).asType(object);
        MethodHandle base = lookup.findConstructor(Base.class, type).asType(object);
        MethodHandle last = lookup.findConstructor(Last.class, type).asType(object);
        MethodHandle absolute = lookup.findStatic(Math.class, "abs", MethodType.methodType(int.class, int.class));
        // PriorityQueue(int) throws for less than one; then the JDK calls one of the constructors that had been called by another.
        MethodHandle[] again = {middle, base, last};
        MethodHandle[] handles = new MethodHandle[3];
        for (int i = 0; i < 3; i++) {
            MethodHandle handler = MethodHandles.dropArguments(MethodHandles.filterArguments(again[i], 0, absolute), 0, Throwable.class);
            handles[i] = MethodHandles.catchException(last, Throwable.class, handler);
        }
        MethodHandle told = MethodHandles.catchException(
                middle,
                Throwable.class,
                lookup.findStatic(ConstructorReferences.class, "fallback", MethodType.methodType(Object.class, Throwable.class, int.class)));
        Caught caught = new Caught(handles, told);
        IntFunction<Leaf> leaves = Leaf::new;
        IntFunction<Base> bases = Base::new;
        Constructor<?> constructor = Leaf.class.getDeclaredConstructor(int.class);
        int rounds = Integer.getInteger("rounds", 60);
        for (int i = 0; i < rounds; i++) {
            made += leaves.apply(i).size() + bases.apply(i).size();
            made += IntStream.range(0, 4).mapToObj(Leaf::new).collect(Collectors.toList()).size();
            reflected(constructor, i % 3 - 1);
            caught.accept(i);
            // And from a method that restores, for the JDK calls it: it stands where a constructor that failed had stood. From several
            // places, so that it has as many numbers as the constructors.
            IntStream.of(i, i + 1).forEach(caught);
            IntStream.of(i, i + 2).forEach(caught);
            IntStream.of(i, i + 3).parallel().forEachOrdered(caught);
            IntStream.of(i).mapToObj(j -> j).forEach(caught::accept);
            made += new Base().size();
        }
        System.out.println("made " + made);
        Check.done("ConstructorReferences");
    }
}
