package org.lucce;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * What the agent has defined in the boot loader for this library, found by name.
 *
 * <p><b>Invariant.</b> Nothing is thrown: without the agent, or with one that lacks a method, there
 * is null, and who asks does without.
 */
final class AgentHooks {
    private AgentHooks() {}

    static Class<?> named(String name) {
        try {
            // By the own loader, which every caller may use: a security manager asks who names the
            // boot loader.
            return Class.forName(name, false, AgentHooks.class.getClassLoader());
        } catch (Throwable e) {
            return null;
        }
    }

    /**
     * A class of the boot loader that not every loader asks it for, as those of {@code java} are:
     * a loader of a bundle or a web application may look for others by itself, if anywhere.
     */
    static Class<?> ofBoot(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (SecurityException e) {
            return named(name);
        } catch (Throwable e) {
            return null;
        }
    }

    /** A static method of that class; null where {@code hooks} is null or has none. */
    static MethodHandle method(Class<?> hooks, String name, Class<?> result, Class<?>... parameters) {
        if (hooks == null) return null;
        try {
            return MethodHandles.publicLookup().findStatic(hooks, name, MethodType.methodType(result, parameters));
        } catch (Throwable e) {
            return null;
        }
    }
}
