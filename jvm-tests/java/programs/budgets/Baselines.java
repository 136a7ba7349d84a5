package budgets;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.lucce.junit.Baseline;

/** Two hundred tests with baselines. Where they run in parallel, many run one and the same method at a time, each with other counts. */
@Baseline
class Baselines {
    static IntStream numbers() {
        return IntStream.range(0, 100);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void handles(int number) {
        for (int i = 0; i < number; i++) Handler.handle(i);
    }

    @RepeatedTest(100)
    void walks(RepetitionInfo repetition) {
        List<Runnable> tasks = new ArrayList<>();
        int number = repetition.getCurrentRepetition();
        for (int i = 0; i < number; i++) {
            int depth = i;
            tasks.add(() -> recur(depth % 5));
        }
        tasks.forEach(Runnable::run);
    }

    private static void recur(int depth) {
        Handler.sink = "at " + depth;
        Handler.handle(depth);
        if (depth > 0) recur(depth - 1);
    }
}
