package hazards;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Field;

/** Classes the agent is never shown (VM-anonymous on 11, hidden since 15) that stand between a site and a method of one signature. */
public final class AnonymousClasses {
    private AnonymousClasses() {}

    /** A signature of the application's own. */
    public interface Step {
        /** Goes on. */
        void step(int n);
    }

    static final class Direct implements Step {
        @Override
        public void step(int n) {
            leaf(n);
        }
    }

    private static void leaf(int n) {
        Check.here();
    }

    /** Calls another step twice; defined anonymously, so that nothing of it is instrumented. */
    public static final class Twice implements Step {
        private final Step step;

        /** Of this step. */
        public Twice(Step step) {
            this.step = step;
        }

        @Override
        public void step(int n) {
            step.step(n);
            step.step(n + 1);
            seen();
        }
    }

    /** Called behind the two. */
    public static void seen() {
        Check.here();
    }

    private static void call(Step step, int n) {
        step.step(n);
    }

    static Class<?> define(byte[] bytes) throws Exception {
        if (Runtime.version().feature() < 15) {
            Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
            field.setAccessible(true);
            Object unsafe = field.get(null);
            return (Class<?>) unsafe.getClass()
                    .getMethod("defineAnonymousClass", Class.class, byte[].class, Object[].class)
                    .invoke(unsafe, AnonymousClasses.class, bytes, null);
        }
        Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
        Object none = Array.newInstance(option, 0);
        Object lookup = MethodHandles.Lookup.class
                .getMethod("defineHiddenClass", byte[].class, boolean.class, none.getClass())
                .invoke(MethodHandles.lookup(), bytes, true, none);
        return ((MethodHandles.Lookup) lookup).lookupClass();
    }

    public static void main(String[] args) throws Exception {
        Step direct = new Direct();
        // The link is plain by now.
        call(direct, 1);
        call(direct, 2);
        byte[] bytes;
        try (InputStream in = AnonymousClasses.class.getResourceAsStream("/hazards/AnonymousClasses$Twice.class")) {
            bytes = in.readAllBytes();
        }
        Step twice = (Step) define(bytes).getConstructor(Step.class).newInstance(direct);
        for (int i = 0; i < 20; i++) {
            call(twice, i);
            call(direct, i);
        }
        Check.done("AnonymousClasses");
    }
}
