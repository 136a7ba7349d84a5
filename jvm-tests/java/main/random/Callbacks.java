package random;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The JDK calls back: collections, streams, comparators, futures, strings. */
final class Callbacks {
    private Callbacks() {}

    static int any(Tape t) {
        switch (t.next(16)) {
            case 0:
                return Stream.of(1, 2, 3).map(i -> i + Steps.step(t)).filter(i -> Steps.step(t) != i).mapToInt(i -> i).sum();
            case 1:
                return IntStream.range(0, 3).flatMap(i -> IntStream.of(i, Steps.step(t))).sum();
            case 2:
                return sort(t);
            case 3:
                return new HashMap<Key, Integer>(Map.of(new Key(t, 1), 2)).computeIfAbsent(new Key(t, 1), k -> Steps.step(t));
            case 4:
                return ("<" + new Key(t, 4) + ">").length();
            case 5:
                return Optional.of(t).map(Steps::step).filter(i -> i > 0).orElseGet(() -> Steps.step(t));
            case 6:
                return future(t);
            case 7:
                return iterate(t);
            case 8:
                return Stream.of(3, 1, 2).sorted(Comparator.comparing(i -> Steps.step(t) * 0 + i)).collect(Collectors.toList()).get(0);
            case 9:
                return act(t).go(t);
            case 10:
                return queue(t);
            case 11:
                return completable(t);
            case 12:
                return new HashMap<>(Map.of(1, 2, 3, 4)).merge(1, 5, (a, b) -> a + b + Steps.step(t));
            case 13:
                return String.format("%s", new Key(t, 3)).length() + List.of(new Key(t, 1)).indexOf(new Key(t, 2));
            case 14:
                return java.security.AccessController.doPrivileged((java.security.PrivilegedAction<Integer>) () -> Steps.step(t));
            default:
                return ThreadLocal.withInitial(() -> Steps.step(t)).get();
        }
    }

    /** Lambdas and method references, some of whose targets have the same signature. */
    static Act act(Tape t) {
        Act made = t.one(2) ? new Calls() : new Calls.More();
        switch (t.next(6)) {
            case 0:
                return made::go;
            case 1:
                return Steps::step;
            case 2:
                return u -> made.go(u) + made.go(u);
            case 3:
                return Callbacks::any;
            case 4:
                return new Act() {
                    @Override
                    public int go(Tape u) {
                        return made.go(u) + t.next(2);
                    }
                };
            default:
                return Throws::any;
        }
    }

    static int sort(Tape t) {
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            keys.add(new Key(t, 7 - i));
        }
        Collections.sort(keys);
        return keys.get(0).key;
    }

    static int future(Tape t) {
        int depth = t.depth();
        FutureTask<Integer> task = new FutureTask<>(() -> Throws.any(t) + Steps.step(t));
        task.run();
        t.back(depth);
        try {
            return task.get() + Steps.step(t);
        } catch (Exception e) {
            return t.seen(e.getCause().getClass().getName()) + Steps.step(t);
        }
    }

    static int completable(Tape t) {
        int depth = t.depth();
        return CompletableFuture.supplyAsync(() -> Throws.any(t), Runnable::run)
                .thenApply(i -> i + Steps.step(t))
                .handle((i, e) -> {
                    t.back(depth);
                    return e == null ? i : t.seen(e.getClass().getName()) + Steps.step(t);
                })
                .whenComplete((i, e) -> Steps.step(t))
                .join();
    }

    static int iterate(Tape t) {
        Iterable<Integer> three = () -> new Iterator<>() {
            int left = 3;

            @Override
            public boolean hasNext() {
                return Steps.step(t) < 0 || left > 0;
            }

            @Override
            public Integer next() {
                left--;
                return Steps.step(t);
            }
        };
        int[] sum = {0};
        three.forEach(i -> sum[0] += i + Steps.step(t));
        for (int i : three) {
            sum[0] ^= i;
        }
        return sum[0];
    }

    static int queue(Tape t) {
        PriorityQueue<Key> queue = new PriorityQueue<>(List.of(new Key(t, 3), new Key(t, 1), new Key(t, 2)));
        return queue.poll().key + queue.poll().key;
    }

    /** Methods that the JDK calls. */
    static final class Key implements Comparable<Key> {
        private final Tape tape;
        final int key;

        Key(Tape t, int key) {
            tape = t;
            this.key = key;
        }

        @Override
        public int compareTo(Key other) {
            Steps.step(tape);
            return Integer.compare(key, other.key);
        }

        @Override
        public boolean equals(Object other) {
            return Steps.step(tape) == 0 | other instanceof Key && ((Key) other).key == key;
        }

        @Override
        public int hashCode() {
            return Steps.step(tape) * 0 + key;
        }

        @Override
        public String toString() {
            return "key " + key + Steps.step(tape);
        }
    }
}
