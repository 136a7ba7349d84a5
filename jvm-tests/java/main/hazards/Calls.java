package hazards;

import org.lucce.Lucce;

/**
 * The paths of the paper's Figures 3 to 5: methods of one size that call each other as the argument says, each callee from a place of its own. D has an
 * event.
 */
public final class Calls {
    private Calls() {}

    public static void main(String[] paths) {
        for (String path : paths) {
            start(path, 0);
            System.out.println(path);
        }
    }

    private static void start(String path, int at) {
        switch (path.charAt(at)) {
            case 'A': a(path, at + 1); break;
            case 'B': b(path, at + 1); break;
            case 'E': e(path, at + 1); break;
            default: d(path); break;
        }
    }

    private static void a(String path, int at) {
        switch (path.charAt(at)) {
            case 'A': a(path, at + 1); break;
            case 'B': b(path, at + 1); break;
            case 'E': e(path, at + 1); break;
            default: d(path); break;
        }
    }

    private static void b(String path, int at) {
        switch (path.charAt(at)) {
            case 'A': a(path, at + 1); break;
            case 'B': b(path, at + 1); break;
            case 'E': e(path, at + 1); break;
            default: d(path); break;
        }
    }

    private static void e(String path, int at) {
        switch (path.charAt(at)) {
            case 'A': a(path, at + 1); break;
            case 'B': b(path, at + 1); break;
            case 'E': e(path, at + 1); break;
            default: d(path); break;
        }
    }

    private static void d(String path) {
        Lucce.event(path, 1);
    }
}
