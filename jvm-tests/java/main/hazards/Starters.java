package hazards;

import hazards.plain.Starter;

/**
 * A thread that starts others where no method has hooks is as it was when it began, and the agent says so in it; methods that sleep, which it enters
 * next, must not leave that to what they call: another thread has called this from its base.
 */
public final class Starters {
    private Starters() {}

    static void sleeps() {
        wake();
        wakes(3);
    }

    static void wakes(int n) {
        if (n > 0) {
            wakes(n - 1);
        }
        wake();
    }

    /** Never sleeps. */
    static void wake() {
        Check.here();
    }

    public static void main(String[] args) throws InterruptedException {
        Starter fromBase = new Starter(0, Starters::wake);
        Starter fromSleep = new Starter(200, Starters::sleeps);
        for (int i = 0; i < 3; i++) {
            for (Starter starter : new Starter[] {fromBase, fromSleep}) {
                Thread thread = new Thread(starter);
                thread.start();
                thread.join();
            }
        }
        Check.done("Starters");
    }
}
