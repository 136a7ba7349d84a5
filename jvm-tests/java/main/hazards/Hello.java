package hazards;

/** The smallest program: what start-up does to it is the test. */
public final class Hello {
    private Hello() {}

    public static void main(String[] args) {
        int events = args.length == 0 ? 0 : Integer.parseInt(args[0]);
        for (int i = 0; i < events; i++) {
            org.lucce.Lucce.event("hello", i);
        }
        System.out.println("hello");
    }
}
