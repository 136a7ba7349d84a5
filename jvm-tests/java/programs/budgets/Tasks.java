package budgets;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.lucce.junit.Baseline;
import org.lucce.junit.MaxAllocations;
import org.lucce.junit.MaxCalls;
import org.lucce.junit.NoAllocations;

/** Each test ends as its name begins, where the agent counts as for {@link Budgets} and follows tasks. They share their pool. */
class Tasks {
    private static final ThreadPoolExecutor POOL = (ThreadPoolExecutor) Executors.newFixedThreadPool(2, task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });

    static {
        // A thread that a test starts is made by that test.
        POOL.prestartAllCoreThreads();
    }

    private static void handOver(int number) throws Exception {
        POOL.submit(() -> Handler.handle(number)).get();
    }

    @Test
    @MaxAllocations(value = 4, below = "budgets.Handler.handle")
    void passesWithATask() throws Exception {
        handOver(1);
    }

    @Test
    @MaxAllocations(value = 3, below = "budgets.Handler.handle")
    void failsWithOneLess() throws Exception {
        handOver(1);
    }

    @Test
    @MaxAllocations(value = 3, below = "budgets.Tasks.handOver")
    void failsBelowWhatHandsOver() throws Exception {
        handOver(1);
    }

    @Test
    @MaxAllocations(value = 4, below = "budgets.Handler.handle", per = 1)
    void passesPerCallInAnyTask() throws Exception {
        for (int i = 0; i < 9; i++) handOver(i);
        Handler.handle(9);
    }

    @Test
    @NoAllocations(in = "budgets.Handler.codec")
    void failsWithAnyInATask() {
        CompletableFuture.runAsync(() -> Handler.codec(1)).join();
    }

    @Test
    @MaxCalls(method = "budgets.Handler.query", value = 2)
    void passesWithTwoCalls() {
        CompletableFuture.supplyAsync(Handler::query).thenApplyAsync(seven -> Handler.query()).join();
    }

    @Test
    @MaxCalls(method = "budgets.Handler.query", value = 1)
    void failsWithTwoCalls() {
        CompletableFuture.supplyAsync(Handler::query).thenApplyAsync(seven -> Handler.query()).join();
    }

    @Test
    @MaxAllocations(value = 3, below = "budgets.Handler.handle")
    void failsWithinATime() {
        assertTimeoutPreemptively(Duration.ofHours(1), () -> Handler.handle(1));
    }

    @RepeatedTest(value = 20, name = "passes {currentRepetition}")
    @Baseline
    void repeats(RepetitionInfo repetition) throws Exception {
        for (int i = 0; i < repetition.getCurrentRepetition(); i++) handOver(i);
        CompletableFuture.runAsync(() -> Handler.handle(repetition.getCurrentRepetition())).join();
    }
}
