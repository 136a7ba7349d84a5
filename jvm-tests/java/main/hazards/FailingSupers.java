package hazards;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.lucce.Lucce;

/**
 * Constructors that the JDK calls, whose {@code super(...)} leads to code of the program's that throws: no handler of the constructor's watches that
 * call. What the JDK calls then was never called by them, though its code was a moment ago.
 */
public final class FailingSupers {
    private FailingSupers() {}

    /** Throws itself the first time that it is asked. */
    static final class Cause extends RuntimeException {
        private boolean fails = true;

        @Override
        public String toString() {
            Check.here();
            if (fails) {
                fails = false;
                throw this;
            }
            return "cause";
        }
    }

    static class Failing extends RuntimeException {
        Failing(Throwable cause) {
            super(cause);
        }
    }

    /** Through one more. */
    static final class Further extends Failing {
        Further(Throwable cause) {
            super(cause);
        }
    }

    /** Reads its word, so that it never sleeps. */
    static final class Reading extends RuntimeException {
        final long word;

        Reading(Throwable cause) {
            super(cause);
            word = Lucce.context();
        }
    }

    static void all(Function<Throwable, Object> constructor) {
        for (int round = 0; round < 20; round++) {
            CompletableFuture<Throwable> cause = CompletableFuture.completedFuture(new Cause());
            // It wraps what was thrown, and asks for its text once more.
            cause.thenApply(constructor).handle((made, thrown) -> {
                Check.here();
                return thrown;
            });
            try {
                constructor.apply(new Cause());
            } catch (Cause expected) {
                Check.here();
                Check.equal("cause", expected.toString());
            }
        }
    }

    public static void main(String[] arguments) {
        all(Failing::new);
        all(Further::new);
        all(Reading::new);
        all(cause -> new Reading(cause));
        all(cause -> new Further(cause));
        Check.done("FailingSupers");
    }
}
