package hazards;

import java.util.Objects;
import java.util.Properties;

/**
 * An index out of range, for whose message the JDK asks, the first time, the system properties for the default locale (11 to 21): they are of a
 * class of the program's own, with hooks or ({@code -Dplain=true}) without, and nothing is published between its last call and this question.
 */
public final class OutOfRange {
    private OutOfRange() {}

    static int index(int index) {
        System.getProperty("hazards.unknown");
        try {
            return Objects.checkIndex(index, 3);
        } catch (IndexOutOfBoundsException e) {
            return -1;
        }
    }

    public static void main(String[] arguments) {
        // Lucce's own class is loaded, for which the JDK asks for properties.
        OwnProperties.asked();
        Properties known = System.getProperties();
        System.setProperties(Boolean.getBoolean("plain") ? new hazards.plain.Properties(known) : new OwnProperties.Asked(known));
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
