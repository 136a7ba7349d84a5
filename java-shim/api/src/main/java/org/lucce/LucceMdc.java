package org.lucce;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The context of the calling code as an attribute of log lines and spans, for whatever takes a key
 * and a text:
 *
 * <pre>{@code
 * LucceMdc.put(MDC::put);            // SLF4J; "%X{lucce.context}" in the pattern
 * LucceMdc.put(span::setAttribute);  // OpenTelemetry
 * }</pre>
 *
 * <p>{@code lucce-decode LOG --context n<number>} shows the stack trace, as does
 * {@link Lucce#trace(long)} with {@link Lucce#parse}. Without the agent nothing is put.
 */
public final class LucceMdc {
    /** The name of the attribute. */
    public static final String KEY = "lucce.context";

    private LucceMdc() {}

    /**
     * Puts the context of this very call, as {@link Lucce#text} writes it.
     *
     * @return the number that was put; 0 if there is none
     */
    public static long put(BiConsumer<String, String> attributes) {
        long captured = Lucce.capture();
        if (captured != 0) attributes.accept(KEY, Lucce.text(captured));
        return captured;
    }

    /** Removes it: {@code LucceMdc.remove(MDC::remove)}. */
    public static void remove(Consumer<String> attributes) {
        if (Lucce.active()) attributes.accept(KEY);
    }
}
