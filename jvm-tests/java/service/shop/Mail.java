package shop;

/** A mail that the server refuses. */
class Mail implements Runnable {
    private final String to;

    Mail(String to) {
        this.to = to;
    }

    @Override
    public void run() {
        try {
            send();
        } catch (Refused refused) {
            // As many services do: nothing is said of it.
        }
    }

    private void send() throws Refused {
        throw new Refused(to);
    }

    static class Refused extends Exception {
        Refused(String to) {
            super(to);
        }
    }
}
