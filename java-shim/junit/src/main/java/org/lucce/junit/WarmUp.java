package org.lucce.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test method is called so often before it is counted, on the same instance, with nothing of
 * {@code @BeforeEach} between: for what the program makes the first time only, as caches.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(LucceExtension.class)
public @interface WarmUp {
    /** How often. */
    int value() default 1;
}
