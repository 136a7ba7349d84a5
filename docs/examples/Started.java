import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.lucce.Lucce;

/** Events on a thread and in tasks: their traces go on where the thread was started and where the tasks were handed over. */
class Started {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(Started::work, "worker");
        thread.start();
        thread.join();
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.submit(Started::work).get();
        CompletableFuture.runAsync(Started::work, pool).get();
        pool.shutdown();
    }

    static void work() {
        Lucce.event("worked", 1);
    }
}
