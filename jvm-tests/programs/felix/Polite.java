package provider;

/** The provider's service. */
public final class Polite implements shared.Greeter {
    @Override
    public String greet(String name) {
        if (name.isEmpty()) throw new IllegalArgumentException("nobody");
        return "Good day, " + name;
    }
}
