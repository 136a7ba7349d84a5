package shared;

/** What provider and users share. */
public interface Greeter {
    /** Greets. */
    String greet(String name);
}
