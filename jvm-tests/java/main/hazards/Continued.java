package hazards;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntConsumer;
import org.lucce.Lucce;

/** Continuations of the JDK's own, used without virtual threads: each goes on below another caller than before. */
public class Continued {
    private static volatile int sum;
    private static final IntConsumer ADDED = n -> sum += n;

    private static final MethodHandle NEW;
    private static final MethodHandle RUN;
    private static final MethodHandle YIELD;
    private static final MethodHandle DONE;
    private static final Object SCOPE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Class<?> type = Class.forName("jdk.internal.vm.Continuation");
            Class<?> scope = Class.forName("jdk.internal.vm.ContinuationScope");
            SCOPE = scope.getConstructor(String.class).newInstance("Continued");
            NEW = lookup.findConstructor(type, MethodType.methodType(void.class, scope, Runnable.class));
            RUN = lookup.findVirtual(type, "run", MethodType.methodType(void.class));
            YIELD = lookup.findStatic(type, "yield", MethodType.methodType(boolean.class, scope));
            DONE = lookup.findVirtual(type, "isDone", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public static void main(String[] arguments) throws Throwable {
        for (int n = 0; n < 14; n++) {
            Object[] all = new Object[3];
            for (int i = 0; i < all.length; i++) all[i] = NEW.invoke(SCOPE, (Runnable) () -> down(5));
            for (boolean goOn = true; goOn; ) {
                goOn = false;
                for (Object one : all) {
                    if ((boolean) DONE.invoke(one)) continue;
                    goOn = true;
                    deep(one, n % 7);
                }
            }
        }
        System.out.println("done");
    }

    /** Goes on below recursion, whose activations are on the thread's shadow stack. */
    private static int deep(Object one, int n) {
        if (n > 0) return told(n) + deep(one, n - 1) + told(1);
        try {
            RUN.invoke(one);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        return told(0);
    }

    private static int down(int n) {
        told(n);
        if (n > 0) down(n - 1);
        try {
            boolean ignored = (boolean) YIELD.invoke(SCOPE);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        return told(n) + told(1);
    }

    private static int told(int n) {
        ADDED.accept(n);
        Lucce.event("told", n);
        return n;
    }
}
