package hazards;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** MethodHandle combinators, invokedynamic of javac (lambdas, method references, string concatenation). */
public final class Handles {
    private final int id;

    private Handles(int id) {
        Check.here();
        this.id = id;
    }

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    static int sum(int a, int b) {
        Check.here();
        return a + b;
    }

    static boolean odd(int n) {
        Check.here();
        return n % 2 == 1;
    }

    static int recover(IllegalStateException e, int n) {
        Check.here();
        return -n;
    }

    static int fails(int n) {
        Check.here();
        throw new IllegalStateException();
    }

    static int cleanup(Throwable t, int result, int n) {
        Check.here();
        return result * 2;
    }

    static int varargs(Object... all) {
        Check.here();
        return all.length;
    }

    int virtual(int n) {
        return leaf(n) + id;
    }

    @Override
    public String toString() {
        Check.here();
        return "h" + id;
    }

    static int handles(int n) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType unary = MethodType.methodType(int.class, int.class);
        MethodHandle leaf = lookup.findStatic(Handles.class, "leaf", unary);
        MethodHandle add = lookup.findStatic(Handles.class, "sum", MethodType.methodType(int.class, int.class, int.class));
        MethodHandle virtual = lookup.findVirtual(Handles.class, "virtual", unary);
        MethodHandle odd = lookup.findStatic(Handles.class, "odd", MethodType.methodType(boolean.class, int.class));
        MethodHandle fails = lookup.findStatic(Handles.class, "fails", unary);
        MethodHandle recover = lookup.findStatic(Handles.class, "recover", MethodType.methodType(int.class, IllegalStateException.class, int.class));
        MethodHandle cleanup = lookup.findStatic(Handles.class, "cleanup", MethodType.methodType(int.class, Throwable.class, int.class, int.class));
        MethodHandle make = lookup.findConstructor(Handles.class, MethodType.methodType(void.class, int.class));
        MethodHandle many = lookup.findStatic(Handles.class, "varargs", MethodType.methodType(int.class, Object[].class));
        int result = (int) leaf.invokeExact(n);
        Check.here();
        result += (int) leaf.invoke((short) n);
        Handles made = (Handles) make.invokeExact(n);
        result += (int) virtual.bindTo(made).invokeExact(n);
        result += (int) MethodHandles.filterArguments(add, 0, leaf, leaf).invokeExact(n, 2);
        result += (int) MethodHandles.filterReturnValue(leaf, leaf).invokeExact(n);
        result += (int) MethodHandles.guardWithTest(odd, leaf, fails.asType(unary)).invokeExact(n * 2 + 1);
        result += (int) MethodHandles.catchException(fails, IllegalStateException.class, recover).invokeExact(n);
        result += (int) MethodHandles.tryFinally(leaf, cleanup).invokeExact(n);
        result += (int) many.invoke(1, "two", made);
        result += (int) leaf.invokeWithArguments(n) + (int) add.invokeWithArguments(Arrays.asList(n, 4));
        result += (int) MethodHandles.foldArguments(add, leaf).invokeExact(n);
        result += (int) MethodHandles.insertArguments(add, 1, 9).invokeExact(n);
        Check.here();
        return result;
    }

    static int references(int n) {
        IntFunction<Handles> maker = Handles::new;
        Handles made = maker.apply(n);
        Function<Integer, Integer> bound = made::virtual;
        BiFunction<Handles, Integer, Integer> unbound = Handles::virtual;
        Function<Integer, Integer> composed = bound.andThen(Handles::leaf).compose(x -> leaf(x) + n);
        Supplier<Supplier<Integer>> nested = () -> () -> leaf(n);
        Check.here();
        return bound.apply(n) + unbound.apply(made, n) + composed.apply(n) + nested.get().get();
    }

    static int strings(int n) {
        Handles made = new Handles(n);
        String text = "a" + made + leaf(n) + 'c' + 1.5 + made + null + new Handles(1);
        Check.here();
        text += made;
        return text.length();
    }

    public static void main(String[] args) throws Throwable {
        int sum = 0;
        for (int round = 0; round < 150; round++) {
            sum += handles(round) + references(round) + strings(round);
        }
        System.out.println(sum);
        Check.done("Handles");
    }
}
