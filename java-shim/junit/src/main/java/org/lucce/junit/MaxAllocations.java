package org.lucce.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test makes at most so many objects and arrays. Needs the agent's option {@code alloc=all}. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Repeatable(MaxAllocations.Several.class)
@ExtendWith(LucceExtension.class)
public @interface MaxAllocations {
    /** The most, in objects and arrays, or in bytes. */
    long value();

    /**
     * Only what is made in or below these methods counts: {@code class.method}, with {@code *} and
     * {@code ?}. All by default.
     */
    String below() default "";

    /**
     * The most is for so many calls of {@link #below}, which must name one method then; on average,
     * where it is called more often. Needs the agent's option {@code entries} for that method. 0
     * for the whole test.
     */
    int per() default 0;

    /** Is the most a number of bytes? Objects have other sizes in other JVMs. */
    boolean bytes() default false;

    /** More than one. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @ExtendWith(LucceExtension.class)
    @interface Several {
        /** Each holds. */
        MaxAllocations[] value();
    }
}
