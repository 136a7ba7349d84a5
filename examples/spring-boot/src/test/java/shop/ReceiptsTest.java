package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.lucce.junit.MaxAllocations;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
class ReceiptsTest {
    @Autowired
    private Receipts receipts;

    /** A list, two lines, and the builder of the text. */
    @Test
    @MaxAllocations(4)
    void aReceiptTakesFourObjects() {
        assertEquals("apple 30\napple 30\ntotal 60", receipts.of("apple", 30, 2));
    }
}
