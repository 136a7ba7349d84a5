package java.lang;

import java.lang.ref.WeakReference;

/** The number of a class that {@link LucceTallies} has met; does not keep the class. */
final class LucceClass extends WeakReference<Class<?>> {
    final int number;

    LucceClass(Class<?> c, int number) {
        super(c);
        this.number = number;
    }
}
