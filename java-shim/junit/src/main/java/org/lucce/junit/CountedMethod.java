package org.lucce.junit;

import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.lucce.Measurement;

/**
 * A method whose calls a budget needs.
 *
 * <p><b>Invariant.</b> No call of it is no call only where each would have been counted: a name
 * that is written wrong, or that is an interface's, is an error, and a method that the agent does
 * not count aborts the test.
 */
final class CountedMethod {
    private final String name;
    private final Class<?> type;
    private final String method;

    /** The method {@code class.method}, as the loader of the test has it. */
    CountedMethod(String name, Class<?> test) {
        this.name = name;
        int dot = name.lastIndexOf('.');
        method = name.substring(dot + 1);
        try {
            type = Class.forName(name.substring(0, Math.max(dot, 0)), false, test.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new ExtensionConfigurationException("no class of the method " + name, e);
        }
        Stream<Executable> methods = method.equals("<init>") ? Arrays.stream(type.getDeclaredConstructors()) : Arrays.stream(type.getDeclaredMethods())
                .filter(one -> one.getName().equals(method) && (one.getModifiers() & (Modifier.ABSTRACT | Modifier.NATIVE)) == 0).map(one -> one);
        if (methods.findAny().isEmpty()) throw new ExtensionConfigurationException("no method " + name + " with a body: name the class that declares it");
    }

    /** Aborts the test unless the agent counts it. */
    void check() {
        Budget.needs(Measurement.countsCalls(type, method), "entries=" + name);
    }
}
