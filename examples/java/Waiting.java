/** Waits in three contexts, for no one: straight, in a recursion, and behind a call that the JDK makes. */
public class Waiting {
    private final Object monitor = new Object();

    void pause(int millis) throws InterruptedException {
        synchronized (monitor) {
            monitor.wait(millis);
        }
    }

    void deep(int levels) throws InterruptedException {
        if (levels == 0) pause(2);
        else deep(levels - 1);
    }

    public static void main(String[] arguments) throws Exception {
        Waiting waiting = new Waiting();
        waiting.pause(1);
        waiting.deep(2);
        Waiting.class.getDeclaredMethod("deep", int.class).invoke(waiting, 0);
        System.out.println("waited");
    }
}
