package org.lucce;

/** What ran could not be measured exactly, so there are no numbers of it. The message says why. */
public final class NotMeasuredException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    NotMeasuredException(String reason) {
        super(reason);
    }
}
