package org.lucce.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test calls a method at most so often. Needs the agent's option {@code entries} for that method.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Repeatable(MaxCalls.Several.class)
@ExtendWith(LucceExtension.class)
public @interface MaxCalls {
    /** {@code class.method}: the class that declares it with a body. Overloads count alike. */
    String method();

    /** The most. */
    long value();

    /** More than one. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @ExtendWith(LucceExtension.class)
    @interface Several {
        /** Each holds. */
        MaxCalls[] value();
    }
}
