package beans;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;

/** Weld: client proxies, an interceptor, an observer, a producer. */
public final class Beans {
    static int intercepted;
    static int observed;

    private Beans() {}

    /** Marks what is intercepted. */
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Counted {}

    /** Counts. */
    @Counted
    @Interceptor
    public static class Counting {
        @AroundInvoke
        Object around(InvocationContext context) throws Exception {
            intercepted++;
            return context.proceed();
        }
    }

    /** One for all. */
    @ApplicationScoped
    public static class Stock {
        private int left;
        @Inject
        private Event<Integer> taken;

        @PostConstruct
        void fill() {
            left = 120;
        }

        /** Takes some. */
        @Counted
        public int take(int n) {
            if (left < n) throw new IllegalStateException("empty");
            taken.fire(n);
            return left -= n;
        }
    }

    /** Hears of it. */
    @Dependent
    public static class Observer {
        void hear(@Observes Integer n) {
            observed += n;
        }

        /** Makes text. */
        @Produces
        public String text() {
            return "text";
        }
    }

    public static void main(String[] args) {
        Weld weld = new Weld().disableDiscovery().beanClasses(Stock.class, Observer.class, Counting.class).interceptors(Counting.class);
        try (WeldContainer container = weld.initialize()) {
            int failed = 0;
            Instance<Stock> stock = container.select(Stock.class);
            for (int i = 0; i < 100; i++) {
                try {
                    stock.get().take(i % 4);
                } catch (IllegalStateException e) {
                    failed++;
                }
            }
            System.out.println(intercepted + " " + observed + " " + failed + " " + container.select(String.class).get());
        }
    }
}
