package hazards;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.IntSupplier;

/** Method.invoke and newInstance (native, generated and method-handle accessors), and java.lang.reflect.Proxy. */
public final class Reflection {
    private Reflection() {}

    public static int target(int n) {
        Check.here();
        return n + 1;
    }

    public int virtual(Integer n) {
        Check.here();
        return target(n);
    }

    public static void thrower(int n) {
        Check.here();
        throw new IllegalStateException("thrown " + n);
    }

    /** Made by newInstance. */
    public static final class Made {
        public final int value;

        public Made() {
            this(1);
        }

        public Made(int value) {
            Check.here();
            this.value = target(value);
            if (value < 0) {
                throw new IllegalArgumentException();
            }
        }
    }

    /** Initialised by reflection. */
    public static final class Lazy {
        public static int value = target(41);

        public static int get() {
            return value;
        }
    }

    /** Method.invoke of Method.invoke of the target. */
    static int twice(Method method, int n) throws Exception {
        Method invoke = Method.class.getMethod("invoke", Object.class, Object[].class);
        return (int) invoke.invoke(method, null, new Object[] {n});
    }

    static int invokeAll(int n) throws Exception {
        Method target = Reflection.class.getMethod("target", int.class);
        Method virtual = Reflection.class.getMethod("virtual", Integer.class);
        Method thrower = Reflection.class.getMethod("thrower", int.class);
        int sum = (int) target.invoke(null, n) + (int) virtual.invoke(new Reflection(), n);
        Check.here();
        sum += twice(target, n);
        try {
            thrower.invoke(null, n);
            Check.fail("no exception");
        } catch (InvocationTargetException e) {
            sum += target(1);
        }
        Constructor<Made> constructor = Made.class.getConstructor(int.class);
        sum += constructor.newInstance(n).value + Made.class.getConstructor().newInstance().value;
        try {
            constructor.newInstance(-1);
            Check.fail("no exception");
        } catch (InvocationTargetException e) {
            sum += target(2);
        }
        Field field = Lazy.class.getField("value");
        sum += field.getInt(null);
        Check.here();
        return sum + (int) Lazy.class.getMethod("get").invoke(null);
    }

    interface Two extends IntSupplier, Comparable<Integer> {
        default int both(int n) {
            return getAsInt() + compareTo(n);
        }
    }

    static int proxies(int n) {
        IntSupplier real = () -> target(n);
        InvocationHandler handler = (proxy, method, arguments) -> {
            Check.here();
            switch (method.getName()) {
                case "getAsInt":
                    return method.invoke(real);
                case "both":
                    return target((int) arguments[0]);
                case "compareTo":
                    if (n % 5 == 0) {
                        throw new IllegalStateException();
                    }
                    return target(2);
                default:
                    return method.invoke(real, arguments);
            }
        };
        Two proxy = (Two) Proxy.newProxyInstance(Reflection.class.getClassLoader(), new Class<?>[] {Two.class}, handler);
        int sum = proxy.getAsInt() + proxy.both(n) + (proxy.hashCode() & 0);
        try {
            sum += proxy.compareTo(3);
        } catch (IllegalStateException | java.lang.reflect.UndeclaredThrowableException e) {
            sum += target(3);
        }
        Check.here();
        Two outer = (Two) Proxy.newProxyInstance(Reflection.class.getClassLoader(), new Class<?>[] {Two.class}, (p, m, a) -> m.invoke(proxy, a));
        return sum + outer.getAsInt();
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int round = 0; round < 60; round++) {
            sum += invokeAll(round) + proxies(round);
        }
        System.out.println(sum);
        Check.done("Reflection");
    }
}
