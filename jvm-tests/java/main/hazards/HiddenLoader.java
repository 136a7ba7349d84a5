package hazards;

/** A class loader that is itself a class the agent is never shown (hidden, since 15), and whose {@code loadClass} the JVM calls. */
public final class HiddenLoader {
    private static int asked;

    private HiddenLoader() {}

    /** What the program calls as well as that loader. */
    public static void ask() {
        asked++;
        Check.here();
    }

    /** Defined as a hidden class. */
    public static final class Loader extends ClassLoader {
        /** Of the application's loader. */
        public Loader() {
            super(HiddenLoader.class.getClassLoader());
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            HiddenLoader.ask();
            if (name.equals("hazards.HiddenLoader$Client")) {
                byte[] bytes = Bytes.read(name);
                return defineClass(name, bytes, 0, bytes.length);
            }
            return super.loadClass(name);
        }
    }

    /** Defined by that loader, which the JVM asks for {@code Late} where no instruction publishes anything. */
    public static final class Client implements Runnable {
        @Override
        public void run() {
            Object object = this;
            HiddenLoader.ask();
            if (object instanceof Late) {
                throw new AssertionError();
            }
            HiddenLoader.ask();
        }
    }

    /** Named by {@code Client} alone. */
    public static final class Late {}

    public static void main(String[] args) throws Exception {
        // The agent leaves out what such a loader defines.
        Check.changed = (type, method) -> type.endsWith("$Client");
        Class<?> hidden = AnonymousClasses.define(Bytes.read("hazards.HiddenLoader$Loader"));
        ClassLoader loader = (ClassLoader) hidden.getConstructor().newInstance();
        Class<?> client = Class.forName("hazards.HiddenLoader$Client", true, loader);
        ((Runnable) client.getConstructor().newInstance()).run();
        Check.equal(true, asked > 3);
        Check.here();
        Check.done("HiddenLoader");
    }
}
