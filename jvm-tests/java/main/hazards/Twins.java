package hazards;

import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.lucce.Lucce;

/**
 * A constructor that fails in the JDK's hands leaves what it has published before {@code super(...)}; then another constructor, which was computing its
 * arguments meanwhile, calls {@code this(...)}. What was left fits there, but belongs to somebody else.
 */
public final class Twins {
    private Twins() {}

    /** Fails with 0, in a class of the JDK's. It reads its word, so it never sleeps. */
    static final class Failing extends PriorityQueue<Object> {
        final long word;

        Failing(Integer capacity) {
            super(capacity);
            word = Lucce.context();
        }
    }

    static final class Twin {
        Twin(int n) {
            this(n < 0 ? null : CompletableFuture.completedFuture(0).thenApply(Failing::new));
        }

        Twin(CompletableFuture<?> failed) {
            long word = Lucce.context();
            Check.same(Check.stack(), Lucce.capture());
            Check.equal(Lucce.active(), word != 0);
            if (failed != null) {
                Check.equal(true, failed.isCompletedExceptionally());
            }
        }
    }

    static void one(int n) {
        new Twin(n);
    }

    static void other(int n) {
        new Twin(n);
    }

    static void third(int n) {
        new Twin(n);
    }

    public static void main(String[] args) {
        // One path to it more than to the twin, so that the same number is not the same path.
        CompletableFuture.completedFuture(0).thenApply(Failing::new);
        for (int round = 0; round < 50; round++) {
            int n = round == 0 ? -1 : 0;
            one(n);
            other(n);
            third(n);
        }
        Check.done("Twins");
    }
}
