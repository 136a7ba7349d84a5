import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.AfterThrowing;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;

/** Counts calls, changes a result, hears of exceptions. */
@Aspect
public class Watching {
    static int calls;
    static int thrown;

    /** Before each method. */
    @Before("execution(* Woven.*(..)) && !within(Watching)")
    public void before() {
        calls++;
    }

    /** Around one. */
    @Around("execution(int Woven.fib(int))")
    public Object around(ProceedingJoinPoint point) throws Throwable {
        return point.proceed(point.getArgs());
    }

    /** Behind one that throws. */
    @AfterThrowing(pointcut = "call(* Woven.risky(..))", throwing = "e")
    public void after(IllegalStateException e) {
        thrown++;
    }
}
