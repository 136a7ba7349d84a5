package org.lucce.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * While a test runs, these methods make no object and no array. Needs the agent's option
 * {@code alloc=all}.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Repeatable(NoAllocations.Several.class)
@ExtendWith(LucceExtension.class)
public @interface NoAllocations {
    /**
     * The methods that have no {@code new} to run: {@code class.method}, with {@code *} and
     * {@code ?}, as in {@code com.acme.codec.*}.
     */
    String in() default "*";

    /** More than one. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @ExtendWith(LucceExtension.class)
    @interface Several {
        /** Each holds. */
        NoAllocations[] value();
    }
}
