package org.lucce.junit;

import java.util.List;
import java.util.Optional;

/** At most so many calls of a method. */
final class CallBudget implements Budget {
    private final MaxCalls budget;
    private final CountedMethod method;

    CallBudget(MaxCalls budget, Class<?> test) {
        this.budget = budget;
        method = new CountedMethod(budget.method(), test);
    }

    @Override
    public Optional<String> check(Counts counts) {
        method.check();
        List<Count> calls = counts.calls(budget.method());
        long sum = calls.stream().mapToLong(count -> count.count).sum();
        if (sum <= budget.value()) return Optional.empty();
        String name = "@MaxCalls(" + budget.value() + ", method = \"" + budget.method() + "\")";
        return Optional.of(Counts.print(name + ": " + sum + (sum == 1 ? " call" : " calls"), calls, false));
    }
}
