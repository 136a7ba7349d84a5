package hazards;

import org.lucce.Lucce;

/**
 * Ends by the C library's {@code exit}, called by native code: {@code <times> <status>}. With a third argument a child of the process does so first,
 * and the program goes on.
 */
public final class NativeExit {
    static Object made;

    private NativeExit() {}

    private static native void exit(int status);

    private static native int inAChild(int status);

    public static void main(String[] args) {
        System.load(System.getProperty("exits"));
        int times = Integer.parseInt(args[0]);
        int status = Integer.parseInt(args[1]);
        work(times);
        if (args.length > 2) {
            System.out.println("a child ended by " + inAChild(status));
            work(times);
        }
        exit(status);
    }

    private static void work(int times) {
        for (int i = 0; i < times; i++) {
            made = new byte[100];
            Lucce.event("work", i);
        }
    }
}
