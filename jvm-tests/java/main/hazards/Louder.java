package hazards;

/** What {@link Supers} puts in the place of {@code java.lang.Math}: a name of the same length. */
public final class Louder {
    private Louder() {}

    public static int abs(int n) {
        Check.here();
        return Math.abs(n);
    }
}
