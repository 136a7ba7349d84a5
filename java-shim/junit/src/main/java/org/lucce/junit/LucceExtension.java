package org.lucce.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;
import org.lucce.Lucce;
import org.lucce.Measurement;
import org.lucce.NotMeasuredException;
import org.opentest4j.TestAbortedException;

/**
 * Holds tests to budgets of exact counts: {@link MaxAllocations}, {@link NoAllocations},
 * {@link MaxCalls}, {@link Baseline}. The annotations register it.
 *
 * <p><b>Invariant.</b> A test with a budget passes only where the agent has counted what the budget
 * is about, and lost nothing of it. Otherwise it fails by itself, or is aborted.
 */
public final class LucceExtension implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context) throws Throwable {
        intercept(test, call, context);
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        intercept(test, call, context);
    }

    @Override
    public <T> T interceptTestFactoryMethod(Invocation<T> factory, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        if (budgets(call.getExecutable(), context).isEmpty()) return factory.proceed();
        throw new ExtensionConfigurationException("a budget is for test methods, not for the dynamic tests of " + call.getExecutable().getName());
    }

    private static void intercept(Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context) throws Throwable {
        Method method = call.getExecutable();
        List<Budget> budgets = budgets(method, context);
        if (budgets.isEmpty()) {
            test.proceed();
            return;
        }
        int warmUps = find(WarmUp.class, method, context).map(WarmUp::value).orElse(0);
        for (int i = 0; i < warmUps; i++) ReflectionSupport.invokeMethod(method, call.getTarget().orElse(null), call.getArguments().toArray());
        Counts counts;
        boolean[] ran = new boolean[1];
        try {
            Measurement measured = Lucce.measure(() -> {
                ran[0] = true;
                test.proceed();
            });
            counts = Counts.of(measured, method);
        } catch (NotMeasuredException e) {
            // Its own failures are failures where nothing is counted, too.
            if (!ran[0]) test.proceed();
            throw new TestAbortedException("not counted: " + e.getMessage(), e);
        }
        // Without its frame nothing would be known to be below it.
        if (!Measurement.hasHooks(method.getDeclaringClass(), method.getName())) {
            throw new TestAbortedException("not counted: the test method has no hooks, as the agent leaves its class alone, or it calls none that has");
        }
        List<String> failures = new ArrayList<>();
        TestAbortedException uncounted = null;
        for (Budget budget : budgets) {
            try {
                budget.check(counts).ifPresent(failures::add);
            } catch (TestAbortedException e) {
                uncounted = e;
            }
        }
        // One that does not hold is a failure, whatever could not be checked beside it.
        if (!failures.isEmpty()) throw new AssertionError(String.join("\n", failures));
        if (uncounted != null) throw uncounted;
    }

    private static List<Budget> budgets(Method method, ExtensionContext context) {
        List<Budget> budgets = new ArrayList<>();
        all(MaxAllocations.class, method, context).forEach(one -> budgets.add(new AllocationBudget(one, context.getRequiredTestClass())));
        all(NoAllocations.class, method, context).forEach(one -> budgets.add(new AllocationBudget(one)));
        all(MaxCalls.class, method, context).forEach(one -> budgets.add(new CallBudget(one, context.getRequiredTestClass())));
        find(Baseline.class, method, context).ifPresent(one -> budgets.add(new BaselineFile(one, method, context)));
        return budgets;
    }

    /** Those of the method and of its class. */
    private static <A extends Annotation> List<A> all(Class<A> type, Method method, ExtensionContext context) {
        List<A> found = new ArrayList<>(AnnotationSupport.findRepeatableAnnotations(method, type));
        found.addAll(AnnotationSupport.findRepeatableAnnotations(context.getRequiredTestClass(), type));
        return found;
    }

    /** That of the method, or else of its class. */
    private static <A extends Annotation> Optional<A> find(Class<A> type, Method method, ExtensionContext context) {
        Optional<A> own = AnnotationSupport.findAnnotation(method, type);
        return own.isPresent() ? own : AnnotationSupport.findAnnotation(context.getRequiredTestClass(), type);
    }
}
