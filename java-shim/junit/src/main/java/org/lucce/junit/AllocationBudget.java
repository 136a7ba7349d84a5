package org.lucce.junit;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** At most so many allocations, or bytes. */
final class AllocationBudget implements Budget {
    private final String name;
    private final long most;
    private final Predicate<Count> part;
    private final boolean bytes;
    /** For how many calls the most is, and of what; 0 for the test. */
    private final int per;
    private final String below;
    /** What is counted of it; null where it is for the test. */
    private final CountedMethod method;

    AllocationBudget(MaxAllocations budget, Class<?> test) {
        below = budget.below();
        Predicate<String> methods = Globs.matching(below);
        name = "@MaxAllocations(" + budget.value() + (below.isEmpty() ? "" : ", below = \"" + below + "\"")
                + (budget.per() > 0 ? ", per = " + budget.per() : "") + (budget.bytes() ? ", bytes = true" : "") + ")";
        most = budget.value();
        part = below.isEmpty() ? count -> true : count -> count.isBelow(methods);
        bytes = budget.bytes();
        per = budget.per();
        method = per > 0 ? new CountedMethod(below, test) : null;
    }

    AllocationBudget(NoAllocations budget) {
        Predicate<String> methods = Globs.matching(budget.in());
        name = "@NoAllocations(in = \"" + budget.in() + "\")";
        most = 0;
        part = count -> count.isIn(methods);
        bytes = false;
        per = 0;
        below = "";
        method = null;
    }

    @Override
    public Optional<String> check(Counts counts) {
        Budget.needs(counts.has("alloc"), "alloc=all");
        List<Count> found = counts.all.stream().filter(Count::isAllocation).filter(part).collect(Collectors.toList());
        long sum = found.stream().mapToLong(count -> bytes ? count.bytes : count.count).sum();
        String is = name + ": " + sum + (bytes ? " bytes" : sum == 1 ? " allocation" : " allocations");
        if (per <= 0) return sum <= most ? Optional.empty() : Optional.of(Counts.print(is, found, bytes));
        method.check();
        long calls = counts.calls(below).stream().mapToLong(count -> count.count).sum();
        if (calls == 0) return Optional.of(name + ": it was not called");
        if (Math.multiplyExact(sum, (long) per) <= Math.multiplyExact(most, calls)) return Optional.empty();
        return Optional.of(Counts.print(is + " in " + calls + (calls == 1 ? " call" : " calls"), found, bytes));
    }
}
