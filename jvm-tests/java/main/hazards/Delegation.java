package hazards;

import hazards.plain.Plain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.AbstractList;

/** Delegation between methods of one name and descriptor, with and without uninstrumented links (JDK, excluded) in the chain. */
public final class Delegation {
    private Delegation() {}

    static int leaf(int n) {
        Check.here();
        return n + 1;
    }

    static final class End implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            return leaf(n);
        }
    }

    static final class Via implements IntUnaryOperator {
        private final IntUnaryOperator next;

        Via(IntUnaryOperator next) {
            this.next = next;
        }

        @Override
        public int applyAsInt(int n) {
            return next.applyAsInt(n) + 1;
        }
    }

    /** Throws after the delegate has returned, now and then. */
    static final class Throwing implements IntUnaryOperator {
        private final IntUnaryOperator next;
        private int calls;

        Throwing(IntUnaryOperator next) {
            this.next = next;
        }

        @Override
        public int applyAsInt(int n) {
            int result = next.applyAsInt(n);
            if (++calls % 3 == 0) {
                throw new IllegalStateException();
            }
            return result;
        }
    }

    static class Sub extends Plain {
        Sub(IntUnaryOperator next) {
            super(next);
        }

        @Override
        public int applyAsInt(int n) {
            return super.applyAsInt(n) + leaf(n);
        }

        @Override
        public int twice(Plain other, int n) {
            leaf(n);
            return super.twice(other, n) + 1;
        }

        @Override
        public Object get() {
            leaf(1);
            return super.get();
        }
    }

    static final class SubSub extends Sub {
        SubSub(IntUnaryOperator next) {
            super(next);
        }

        @Override
        public int applyAsInt(int n) {
            return super.applyAsInt(n);
        }

        @Override
        public int twice(Plain other, int n) {
            return n % 2 == 0 ? super.twice(other, n) : other.twice(other, n - 1);
        }
    }

    static final class Job implements Runnable, Callable<Object> {
        private final Runnable inner;

        Job(Runnable inner) {
            this.inner = inner;
        }

        @Override
        public void run() {
            leaf(1);
            if (inner != null) {
                inner.run();
                inner.run();
            }
        }

        @Override
        public Object call() {
            run();
            return leaf(2);
        }
    }

    static final class Mine extends AbstractList<Object> {
        private final List<?> inner;

        Mine(List<?> inner) {
            this.inner = inner;
        }

        @Override
        public Object get(int index) {
            leaf(index);
            return inner.get(index);
        }

        @Override
        public int size() {
            return leaf(inner.size()) - 1;
        }

        @Override
        public Iterator<Object> iterator() {
            leaf(1);
            return super.iterator();
        }

        @Override
        public boolean equals(Object other) {
            leaf(2);
            return super.equals(other);
        }

        @Override
        public int hashCode() {
            leaf(3);
            return super.hashCode();
        }
    }

    static final class Order implements Comparator<Object> {
        private final Comparator<Object> inner;

        Order(Comparator<Object> inner) {
            this.inner = inner;
        }

        @Override
        public int compare(Object a, Object b) {
            leaf(1);
            return inner == null ? a.toString().compareTo(b.toString()) : inner.compare(a, b);
        }
    }

    static int chains(int n) {
        IntUnaryOperator direct = new Via(new Via(new End()));
        IntUnaryOperator broken = new Via(new Plain(new Via(new Plain(new End()))));
        IntUnaryOperator sub = new Via(new SubSub(new Sub(new End())));
        IntUnaryOperator jdk = new Via(new End().andThen(new Via(new End())).compose(new End()));
        IntUnaryOperator throwing = new Via(new Plain(new Throwing(new Via(new End()))));
        int sum = 0;
        for (IntUnaryOperator chain : new IntUnaryOperator[] {direct, broken, sub, jdk, throwing}) {
            for (int i = 0; i < 3; i++) {
                try {
                    sum += chain.applyAsInt(n);
                    leaf(1);
                } catch (IllegalStateException e) {
                    sum += leaf(2);
                }
            }
            sum += Plain.relay(chain == throwing ? direct : chain, n);
            Check.here();
        }
        return sum;
    }

    static int classes(int n) {
        Sub a = new Sub(new End());
        Sub b = new SubSub(new Via(new End()));
        int sum = a.twice(b, 4) + b.twice(a, 4) + b.twice(new Plain(a), 3);
        sum += a.get().hashCode() + b.get().hashCode();
        Check.here();
        Check.equal(true, Plain.swallow(new Job(new Job(null))));
        Check.equal(false, Plain.swallow(() -> {
            leaf(1);
            throw new IllegalStateException();
        }));
        leaf(n);
        return sum;
    }

    static int jdk(int n) throws Exception {
        new Job(new FutureTask<>(new Job(new Job(null)), leaf(1))).run();
        FutureTask<Object> task = new FutureTask<>((Callable<Object>) new Job(new Thread(new Job(null))));
        new Job(task).run();
        Check.equal(3, task.get());
        List<Object> base = new ArrayList<>(List.of("b", "a", "c"));
        List<Object> list = new Mine(Collections.unmodifiableList(new Mine(base)));
        Check.equal(true, list.equals(new Mine(base)));
        Check.here();
        Check.equal(list.hashCode(), new Mine(list).hashCode());
        Check.equal("[b, a, c]", list.toString());
        base.sort(new Order(Collections.reverseOrder(new Order(new Order(null)))));
        Check.equal("c", list.get(0));
        Function<Integer, Integer> f = x -> leaf(x);
        Function<Integer, Integer> g = f.andThen(f.compose(f));
        Check.here();
        return g.apply(n) + list.size();
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        for (int round = 0; round < 12; round++) {
            sum = sum * 7 + chains(round) + classes(round) + jdk(round);
        }
        System.out.println(sum);
        Check.done("Delegation");
    }
}
