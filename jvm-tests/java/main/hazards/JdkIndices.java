package hazards;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.lucce.Lucce;

/** Prints the bytecode indices of the JDK's frames below a thread factory, in classes into which the agent puts calls of its own. */
public final class JdkIndices {
    private JdkIndices() {}

    static Thread made(Runnable run) {
        Lucce.event("made", 1);
        StackWalker.getInstance().forEach(frame ->
                System.out.println(frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getByteCodeIndex()));
        return new Thread(run);
    }

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newCachedThreadPool(JdkIndices::made);
        pool.submit(() -> {});
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }
}
