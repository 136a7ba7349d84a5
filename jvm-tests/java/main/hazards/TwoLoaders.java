package hazards;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Classes of one name in two loaders that call each other, and classes that are unloaded and come again. */
public final class TwoLoaders {
    private TwoLoaders() {}

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    /** Copied into each loader. */
    public static final class Twin implements IntUnaryOperator {
        private static int made;
        private final IntUnaryOperator other;
        private final int n = ++made;

        public Twin(IntUnaryOperator other) {
            this.other = other;
            Check.here();
        }

        @Override
        public int applyAsInt(int depth) {
            if (depth <= 0) {
                Check.here();
                return n;
            }
            return other == null ? own(depth) : other.applyAsInt(depth - 1) + own(depth - 1);
        }

        private int own(int depth) {
            Check.here();
            return applyAsInt(depth > 2 ? 0 : depth - 1);
        }
    }

    static IntUnaryOperator twin(IntUnaryOperator other) throws Exception {
        Class<?> c = new Bytes().copy("hazards.TwoLoaders$Twin");
        return (IntUnaryOperator) c.getDeclaredConstructor(IntUnaryOperator.class).newInstance(other);
    }

    static int pairs() throws Exception {
        IntUnaryOperator a = twin(null);
        IntUnaryOperator b = twin(a);
        IntUnaryOperator c = twin(b);
        IntUnaryOperator d = new Twin(c);
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += b.applyAsInt(5) + c.applyAsInt(4) + leaf(1);
            d.applyAsInt(6);
        }
        return sum;
    }

    static int unload(List<WeakReference<Class<?>>> classes) throws Exception {
        int sum = 0;
        for (int i = 0; i < 60; i++) {
            IntUnaryOperator twin = twin(null);
            classes.add(new WeakReference<>(twin.getClass()));
            sum += twin.applyAsInt(i % 4) + twin.applyAsInt(3);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        List<WeakReference<Class<?>>> classes = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            sum += pairs() + unload(classes);
            System.gc();
            Thread.sleep(20);
        }
        // References cleared: the agent must not be what keeps classes alive.
        for (int i = 0; i < 50 && classes.stream().noneMatch(c -> c.get() == null); i++) {
            System.gc();
            Thread.sleep(20);
        }
        Check.equal(true, classes.stream().anyMatch(c -> c.get() == null));
        System.out.println(sum);
        Check.doneRacy("TwoLoaders");
    }
}
