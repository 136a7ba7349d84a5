package hazards;

import hazards.plain.Asm;
import org.xml.sax.InputSource;

/** A loader with a class of its own under a name that the JDK has too, where it initialises without running code; this one's initialiser calls back. */
public final class OwnNames {
    private static final String NAME = "org.xml.sax.InputSource";

    private OwnNames() {}

    /** Called by the initialiser. */
    public static void seen() {
        Check.here();
    }

    /** Makes one; copied into the loader, where the name means the other class. */
    public static final class User implements Runnable {
        @Override
        public void run() {
            made();
            made();
        }

        private static void made() {
            Check.equal(true, new InputSource().getClass().getName().equals(NAME));
        }
    }

    /** Asks itself first. */
    private static final class ChildFirst extends Bytes {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            if (name.equals(NAME)) {
                return define(name, own());
            }
            return name.equals(User.class.getName()) ? copy(name) : super.loadClass(name, resolve);
        }
    }

    private static byte[] own() {
        String parent = "java/lang/Object";
        Asm asm = new Asm(49, NAME.replace('.', '/'), parent);
        asm.code().call("hazards/OwnNames", "seen", "()V").call("hazards/OwnNames", "seen", "()V").op(177).end(Asm.STATIC, "<clinit>", "()V", 0, 0);
        asm.code().op(42).op2(183, asm.method(parent, "<init>", "()V")).op(177).end(Asm.PUBLIC, "<init>", "()V", 1, 1);
        return asm.finish();
    }

    public static void main(String[] args) throws Exception {
        // Excluded by the driver.
        Check.changed = (type, method) -> type.equals(NAME);
        // The JDK's own is known and initialised.
        new User().run();
        Class<?> copy = new ChildFirst().loadClass(User.class.getName());
        ((Runnable) copy.getDeclaredConstructor().newInstance()).run();
        Check.done("OwnNames");
    }
}
