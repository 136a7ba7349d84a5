package hazards;

import java.util.Properties;
import org.lucce.Lucce;

/**
 * System properties of the program's own, which the JDK asks for below calls of {@code String}: two in a row, with nothing of the program's between
 * them, are two call sites.
 */
public final class OwnProperties {
    private OwnProperties() {}

    /** Tells of each question. */
    static final class Asked extends Properties {
        private static final long serialVersionUID = 1;

        Asked(Properties known) {
            putAll(known);
        }

        @Override
        public String getProperty(String key) {
            asked();
            return super.getProperty(key);
        }

        @Override
        public String getProperty(String key, String otherwise) {
            asked();
            return super.getProperty(key, otherwise);
        }
    }

    /** Not counted by {@link Check}: the JDK asks for some once, and the agent may have had it do so. */
    public static void asked() {
        Lucce.capture();
    }

    /** A capital sigma becomes one of two letters, told apart by a break iterator, whose provider is named by a property. */
    static String letters(String text) {
        System.getProperty("hazards.unknown");
        return text.toLowerCase() + text.toUpperCase() + text.toLowerCase();
    }

    /** Makes streams, by lambdas of the JDK's. */
    static long streams(String text) {
        System.getProperty("hazards.unknown");
        return text.chars().sum() + text.codePoints().sum() + new StringBuilder(text).chars().sum();
    }

    /** Regular expressions. */
    static int expressions(String text) {
        System.getProperty("hazards.unknown");
        return text.split("[b\\d]+").length + text.replaceAll("\\p{IsGreek}", "-").length() + (text.matches("\\w+|.") ? 1 : 0);
    }

    public static void main(String[] arguments) {
        // Which asks for properties itself, the first time.
        Check.here();
        System.setProperties(new Asked(System.getProperties()));
        for (int round = 0; round < 20; round++) {
            Check.here();
            Check.equal("a\u03c2A\u03a3a\u03c2", letters("a\u03a3"));
            Check.equal(3 * (97L + 0x3a3), streams("a\u03a3"));
            Check.equal(4, expressions("a\u03a3b"));
        }
        Check.done("OwnProperties");
    }
}
