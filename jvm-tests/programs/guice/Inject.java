import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provides;
import com.google.inject.ProvisionException;
import com.google.inject.Singleton;
import com.google.inject.matcher.Matchers;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Guice: constructors called through classes written at run time, methods intercepted, providers that fail. */
public final class Inject {
    private Inject() {}

    /** Marks what is intercepted. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Timed {}

    /** A part. */
    public static class Engine {
        private int turns;

        @Timed
        int turn(int n) {
            if (n % 11 == 0) throw new IllegalStateException("stalled");
            return turns += n;
        }
    }

    /** A whole. */
    public static class Car {
        private final Engine engine;
        private final String name;

        @jakarta.inject.Inject
        Car(Engine engine, String name) {
            this.engine = engine;
            this.name = name;
        }
    }

    public static void main(String[] args) {
        int[] calls = {0};
        Injector injector = Guice.createInjector(new AbstractModule() {
            @Override
            protected void configure() {
                bind(Engine.class).in(Singleton.class);
                bindInterceptor(Matchers.any(), Matchers.annotatedWith(Timed.class), invocation -> {
                    calls[0]++;
                    return invocation.proceed();
                });
            }

            @Provides
            String name() {
                return "car";
            }

            @Provides
            Integer never() {
                throw new UnsupportedOperationException("no number");
            }
        });
        int sum = 0;
        for (int i = 0; i < 300; i++) {
            Car car = injector.getInstance(Car.class);
            try {
                sum += car.engine.turn(i) % 100 + car.name.length();
            } catch (IllegalStateException e) {
                sum++;
            }
            try {
                injector.getInstance(Integer.class);
            } catch (ProvisionException e) {
                sum += e.getErrorMessages().size();
            }
        }
        System.out.println(sum + " " + calls[0]);
    }
}
