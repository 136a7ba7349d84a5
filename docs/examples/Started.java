import org.lucce.Lucce;

/** An event on a thread: its trace goes on where the thread was started. */
class Started {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(Started::work, "worker");
        thread.start();
        thread.join();
    }

    static void work() {
        Lucce.event("worked", 1);
    }
}
