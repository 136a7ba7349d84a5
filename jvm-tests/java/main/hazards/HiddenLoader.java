package hazards;

/** A class loader that is itself a class the agent is never shown (hidden, since 15), and whose {@code loadClass} the JVM calls. */
public final class HiddenLoader {
    private HiddenLoader() {}

    /** Defined as a hidden class. */
    public static final class Loader extends ClassLoader {
        private int asked;

        /** Of the application's loader. */
        public Loader() {
            super(HiddenLoader.class.getClassLoader());
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            asked++;
            return super.loadClass(name);
        }

        @Override
        public String toString() {
            return asked > 0 ? "asked" : "not asked";
        }
    }

    public static void main(String[] args) throws Exception {
        Class<?> hidden = AnonymousClasses.define(Bytes.read("hazards.HiddenLoader$Loader"));
        ClassLoader loader = (ClassLoader) hidden.getConstructor().newInstance();
        Class.forName("hazards.HiddenLoader", true, loader);
        Check.equal("asked", loader.toString());
        Check.here();
        Check.done("HiddenLoader");
    }
}
