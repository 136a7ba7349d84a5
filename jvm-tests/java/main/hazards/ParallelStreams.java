package hazards;

import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Parallel streams: fork-join workers and the calling thread run the same callbacks, nested too. */
public final class ParallelStreams {
    private ParallelStreams() {}

    static int work(int n) {
        if (n % 16 == 0) {
            Check.here();
        }
        return n < 2 ? n : work(n / 2) + 1;
    }

    static int nested(int n) {
        return IntStream.range(0, n % 8).parallel().map(ParallelStreams::work).sum();
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int round = 0; round < 10; round++) {
            sum += IntStream.range(0, 500).parallel().map(n -> work(n)).asLongStream().sum();
            sum += IntStream.range(0, 100).parallel().mapToObj(n -> nested(n)).collect(Collectors.summingInt(n -> work(n)));
            ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
            IntStream.range(0, 300).parallel().forEach(n -> map.computeIfAbsent(n % 64, ParallelStreams::work));
            sum += map.reduceValuesToInt(1, v -> work(v), 0, Integer::sum);
        }
        System.out.println(sum);
        Check.doneRacy("ParallelStreams");
    }
}
