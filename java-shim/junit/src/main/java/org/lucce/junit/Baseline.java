package org.lucce.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test counts what the file {@code src/test/lucce/<class>.<method>.json} says: each context its
 * number, none more and none less. The file is written with the system property
 * {@code lucce.update=true}; {@code lucce.baselines} names another folder.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(LucceExtension.class)
public @interface Baseline {
    /** Are bytes compared, too? Objects have other sizes in other JVMs. */
    boolean bytes() default false;
}
