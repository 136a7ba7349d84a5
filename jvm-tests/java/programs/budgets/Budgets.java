package budgets;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.lucce.junit.LucceExtension;
import org.lucce.junit.MaxAllocations;
import org.lucce.junit.MaxCalls;
import org.lucce.junit.NoAllocations;
import org.lucce.junit.WarmUp;

/** Each test ends as its name begins, where the agent counts allocations, and the calls of {@code Handler.handle} and {@code Handler.query}. */
@ExtendWith({LucceExtension.class, Budgets.Wasteful.class})
class Budgets {
    /** Makes something around each test method, which is none of its own. */
    static final class Wasteful implements InvocationInterceptor {
        @Override
        public void interceptTestMethod(Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context)
                throws Throwable {
            Handler.handle(3);
            test.proceed();
            Handler.handle(3);
        }
    }

    @BeforeEach
    @AfterEach
    void handle() {
        Handler.handle(3);
    }

    @Test
    @MaxAllocations(4)
    void passesWithAllItMakes() {
        Handler.handle(1);
    }

    @Test
    @MaxAllocations(3)
    void failsWithOneLess() {
        Handler.handle(1);
    }

    @Test
    @MaxAllocations(0)
    @MaxCalls(method = "budgets.Handler.codec", value = 2)
    void failsThoughAnotherIsNotCounted() {
        Handler.handle(1);
    }

    @Test
    @MaxAllocations(value = 2, below = "budgets.Handler.codec")
    void passesBelow() {
        Handler.handle(1);
    }

    @Test
    @MaxAllocations(value = 1, below = "budgets.*.codec")
    void failsBelow() {
        Handler.handle(1);
    }

    @Test
    @MaxAllocations(value = 4, below = "budgets.Handler.handle", per = 1)
    void passesPerCall() {
        for (int i = 0; i < 50; i++) Handler.handle(i);
    }

    @Test
    @MaxAllocations(value = 199, below = "budgets.Handler.handle", per = 50)
    void failsPerCall() {
        for (int i = 0; i < 50; i++) Handler.handle(i);
    }

    @Test
    @MaxAllocations(value = 4, below = "budgets.Handler.handle", per = 1)
    void failsWithoutACall() {
        Handler.query();
    }

    @Test
    @MaxAllocations(value = 10_000, bytes = true)
    void passesInBytes() {
        Handler.handle(1);
    }

    @Test
    @MaxAllocations(value = 10_000, bytes = true)
    void failsInBytes() {
        Handler.handle(10_000);
    }

    @Test
    @NoAllocations(in = "budgets.Handler.sum")
    void passesWithoutAny() {
        Handler.sum(new int[9]);
    }

    @Test
    @NoAllocations(in = "budgets.Handler.*")
    void failsWithAny() {
        Handler.codec(1);
    }

    @Test
    @MaxCalls(method = "budgets.Handler.query", value = 2)
    void passesWithTwoCalls() {
        Handler.query();
        Handler.query();
    }

    @Test
    @MaxCalls(method = "budgets.Handler.query", value = 2)
    void failsWithThreeCalls() {
        for (int i = 0; i < 3; i++) Handler.query();
    }

    @Test
    @MaxCalls(method = "budgets.Handler.sum", value = 2)
    void abortsWhereCallsAreNotCounted() {
        Handler.query();
    }

    @Test
    @MaxCalls(method = "java.util.function.Supplier.get", value = 2)
    void failsForAnInterface() {
        Supplier<Object> supplier = Handler::cached;
        supplier.get();
    }

    @Test
    @MaxCalls(method = "budgets.Handler.qerry", value = 2)
    void failsForAMisspelledMethod() {
        Handler.query();
    }

    @Test
    @MaxAllocations(0)
    void passesThoughAClassIsInitialised() {
        Handler.Initialised.length();
    }

    @Test
    @WarmUp
    @MaxAllocations(0)
    void passesWarm() {
        Handler.cached();
    }

    @TestFactory
    @MaxAllocations(100)
    List<DynamicTest> failsForDynamicTests() {
        return List.of();
    }

    @Test
    @MaxAllocations(0)
    void abortsWithoutHooks() {
        Math.abs(-1);
    }

    @Test
    @MaxAllocations(100)
    void failsByItself() {
        throw new IllegalStateException("by itself");
    }
}
