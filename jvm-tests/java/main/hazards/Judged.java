package hazards;

import agents.Intruder;
import java.util.IdentityHashMap;

/**
 * Code that Lucce has looked at and leads to none of the program's, until another agent puts calls into it: the JDK's and the program's own. Each is called
 * right behind a call of the very method that is inserted, and by an activation that began before the change.
 */
public final class Judged {
    private static boolean armed;

    private Judged() {}

    /** What was inserted calls it, and so does the program. */
    static final class Told implements Runnable {
        @Override
        public void run() {
            if (!armed || !Thread.currentThread().getName().equals("main")) return;
            // What is called here may come to the same code.
            armed = false;
            Check.here();
            armed = true;
        }
    }

    private static final Told TOLD = new Told();

    /** Called by what was inserted. */
    public static void tell() {
        TOLD.run();
    }

    static final class Body {
        private Body() {}

        /** The JDK's own, before which nothing is published. */
        static int closed(StringBuffer text, int n) {
            int size = new IdentityHashMap<Object, Object>(n).size();
            TOLD.run();
            size += new IdentityHashMap<Object, Object>(n).size();
            TOLD.run();
            text.append(n);
            return size + text.length();
        }

        /** So for what calls nothing. */
        private static int calm(int n) {
            return Math.max(n, 3);
        }

        private static int marked(int n) {
            return Math.min(n, 3);
        }

        static int quiet(int n) {
            tell();
            int sum = calm(n);
            tell();
            return sum + marked(n);
        }

        /** Recursion, whose activations are on the thread's shadow stack. */
        static int behind(int n) {
            Check.here();
            return n == 0 ? 1 : n + around(n - 1);
        }

        static int around(int n) {
            int sum = behind(n);
            tell();
            return sum;
        }

        /** Goes on in the code that it began with. */
        static int all(Change change) throws Exception {
            StringBuffer text = new StringBuffer("text");
            int sum = 0;
            for (int i = 0; i < 6; i++) {
                if (i == 3) change.now();
                armed = true;
                sum += closed(text, i) + quiet(i) + around(i);
                armed = false;
            }
            return sum;
        }
    }

    interface Change {
        void now() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Check.obsolete = true;
        Check.changed = Intruder::changed;
        System.getProperties().put("hazards.told", TOLD);
        System.out.println(Body.all(() -> {}));
        System.out.println(Body.all(() -> Intruder.intrude(StringBuffer.class, IdentityHashMap.class)));
        System.out.println(Body.all(() -> Intruder.intrude(StringBuffer.class, IdentityHashMap.class, Body.class)));
        System.out.println(Body.all(() -> {}));
        System.out.println(Body.all(() -> Intruder.leave(StringBuffer.class, IdentityHashMap.class, Body.class)));
        System.out.println(Body.all(() -> {}));
        Check.doneRacy("Judged");
    }
}
