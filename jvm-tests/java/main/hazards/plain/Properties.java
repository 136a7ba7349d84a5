package hazards.plain;

import hazards.OwnProperties;

/** Excluded by the driver: system properties that tell of each question. */
public final class Properties extends java.util.Properties {
    private static final long serialVersionUID = 1;

    /** As these. */
    public Properties(java.util.Properties known) {
        putAll(known);
    }

    @Override
    public String getProperty(String key) {
        OwnProperties.asked();
        return super.getProperty(key);
    }

    @Override
    public String getProperty(String key, String otherwise) {
        OwnProperties.asked();
        return super.getProperty(key, otherwise);
    }
}
