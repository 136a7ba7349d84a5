package shop;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Writes many receipts, and ends. */
@SpringBootApplication
public class Shop implements ApplicationRunner {
    private final Receipts receipts;

    Shop(Receipts receipts) {
        this.receipts = receipts;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }

    @Override
    public void run(ApplicationArguments arguments) {
        long characters = 0;
        for (int i = 0; i < 50_000; i++) characters += receipts.of("apple", 30, 2).length();
        System.out.println(characters + " characters of receipts");
    }
}
