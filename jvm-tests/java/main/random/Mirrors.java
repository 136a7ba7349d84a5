package random;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import random.Troubles.Trouble;

/** Reflection, method handles and proxies, with what they throw. */
final class Mirrors {
    private Mirrors() {}

    static int any(Tape t) {
        int depth = t.depth();
        try {
            switch (t.next(9)) {
                case 0:
                    return (int) Steps.class.getMethod("step", Tape.class).invoke(null, t) + Steps.step(t);
                case 1:
                    return (int) Act.class.getMethod("go", Tape.class).invoke(Calls.act(t), t);
                case 2:
                    return Builds.Node.class.getDeclaredConstructor(Tape.class).newInstance(t).value;
                case 3:
                    return (int) handle().invokeExact(t) + (int) handle().invoke(t);
                case 4:
                    return proxy(Calls.act(t)).go(t);
                case 5:
                    return combined(t);
                case 6:
                    return Act.twice(MethodHandleProxies.asInterfaceInstance(Act.class, handle()), t);
                case 7:
                    return Builds.Sub.class.getDeclaredConstructor(Tape.class, int.class).newInstance(t, t.next(3)).go(t);
                default:
                    return (int) handle().invokeWithArguments(t);
            }
        } catch (InvocationTargetException e) {
            t.back(depth);
            return t.seen(e.getCause().getClass().getName()) + Steps.step(t);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            t.back(depth);
            return t.seen(e.getClass().getName());
        }
    }

    static MethodHandle handle() throws ReflectiveOperationException {
        return MethodHandles.lookup().findStatic(Steps.class, "step", MethodType.methodType(int.class, Tape.class));
    }

    static Act proxy(Act act) {
        return (Act) Proxy.newProxyInstance(Act.class.getClassLoader(), new Class<?>[] {Act.class}, (p, method, arguments) -> {
            Tape t = (Tape) arguments[0];
            try {
                return t.one(2) ? method.invoke(act, arguments) : (Object) (act.go(t) + Steps.step(t));
            } catch (InvocationTargetException e) {
                Steps.step(t);
                throw e.getCause();
            }
        });
    }

    static int combined(Tape t) throws Throwable {
        MethodHandle step = handle();
        MethodHandle caught = MethodHandles.lookup().findStatic(
                Mirrors.class, "caught", MethodType.methodType(int.class, RuntimeException.class, Tape.class));
        MethodHandle loop = MethodHandles.countedLoop(
                MethodHandles.dropArguments(MethodHandles.constant(int.class, 3), 0, Tape.class),
                MethodHandles.dropArguments(MethodHandles.constant(int.class, 0), 0, Tape.class),
                MethodHandles.dropArguments(step, 0, int.class, int.class));
        switch (t.next(3)) {
            case 0:
                return (int) loop.invokeExact(t);
            case 1:
                return (int) MethodHandles.catchException(loop, RuntimeException.class, caught).invokeExact(t);
            default:
                return (int) MethodHandles.foldArguments(MethodHandles.dropArguments(step, 0, int.class), step).invokeExact(t);
        }
    }

    static int caught(RuntimeException e, Tape t) {
        return (e instanceof Trouble ? 3 : 4) + Steps.step(t);
    }
}
