package shop;

/** Writes many receipts. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        long characters = 0;
        for (int i = 0; i < 200_000; i++) {
            characters += new Order().add("apple", 30 + i % 7).add("bread", 250).receipt().length();
        }
        System.out.println(characters + " characters of receipts");
    }
}
