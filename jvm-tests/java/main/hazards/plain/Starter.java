package hazards.plain;

/** Excluded by the driver: starts threads below which no method has hooks, and then calls some that do. */
public final class Starter implements Runnable {
    private final int starts;
    private final Runnable behind;

    /** Starts so many threads before it runs what has hooks. */
    public Starter(int starts, Runnable behind) {
        this.starts = starts;
        this.behind = behind;
    }

    @Override
    public void run() {
        try {
            for (int i = 0; i < starts; i++) {
                Thread thread = new Thread(() -> {});
                thread.start();
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        behind.run();
        behind.run();
    }
}
