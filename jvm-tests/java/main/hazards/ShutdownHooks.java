package hazards;

/** System.exit from deep down; a shutdown hook then calls, throws and recurses, while daemon threads still run. */
public final class ShutdownHooks {
    private ShutdownHooks() {}

    static int leaf(int n) {
        Check.here();
        return n == 0 ? 0 : leaf(n - 1) + 1;
    }

    static int spin(int n) {
        return n == 0 ? 1 : spin(n - 1) + spin(n - 2 < 0 ? 0 : n - 2);
    }

    static void exit(int n) {
        if (n == 0) {
            System.exit(leaf(3) - 3);
        }
        exit(n - 1);
    }

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            int sum = leaf(20);
            try {
                Runnable failing = () -> {
                    throw new IllegalStateException("" + leaf(1));
                };
                failing.run();
            } catch (IllegalStateException e) {
                sum += leaf(2);
            }
            System.out.println("hook " + sum);
            Check.doneRacy("ShutdownHooks");
        }));
        for (int i = 0; i < 2; i++) {
            Thread daemon = new Thread(() -> {
                while (true) {
                    spin(12);
                }
            });
            daemon.setDaemon(true);
            daemon.start();
        }
        exit(30);
    }
}
