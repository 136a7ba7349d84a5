package hazards;

import java.util.Objects;
import java.util.Properties;
import org.lucce.Lucce;

/**
 * An index out of range, for whose message the JDK asks, the first time, the system properties for the default locale (11 to 17): they are of a
 * class of the program's own, with hooks or ({@code -Dplain=true}) without, and nothing is published between its last call and this question.
 */
public final class OutOfRange {
    private OutOfRange() {}

    /** Tells of each question. */
    static final class Asked extends Properties {
        private static final long serialVersionUID = 1;

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

    /** Not counted by {@link Check}: what has been asked for before is the JDK's own business. */
    public static void asked() {
        Lucce.capture();
    }

    static int index(int index) {
        System.getProperty("hazards.unknown");
        try {
            return Objects.checkIndex(index, 3);
        } catch (IndexOutOfBoundsException e) {
            return -1;
        }
    }

    public static void main(String[] arguments) {
        // Its class is loaded, for which the JDK asks for properties.
        asked();
        Properties own = Boolean.getBoolean("plain") ? new hazards.plain.Properties() : new Asked();
        own.putAll(System.getProperties());
        System.setProperties(own);
        int sum = 0;
        for (int round = 0; round < 20; round++) {
            sum += index(round % 3);
        }
        sum += index(3) + index(4);
        Check.equal(17, sum);
        Check.here();
        Check.done("OutOfRange");
    }
}
