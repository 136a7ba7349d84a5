package hazards.plain;

import hazards.OutOfRange;

/** Excluded by the driver: system properties that tell of each question. */
public final class Properties extends java.util.Properties {
    private static final long serialVersionUID = 1;

    @Override
    public String getProperty(String key) {
        OutOfRange.asked();
        return super.getProperty(key);
    }

    @Override
    public String getProperty(String key, String otherwise) {
        OutOfRange.asked();
        return super.getProperty(key, otherwise);
    }
}
