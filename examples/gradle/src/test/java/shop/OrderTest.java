package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.platform.runner.JUnitPlatform;
import org.junit.runner.RunWith;
import org.lucce.junit.MaxAllocations;

@RunWith(JUnitPlatform.class)
class OrderTest {
    /** The order with its list, two lines, and the builder of the text. */
    @Test
    @MaxAllocations(5)
    void aReceiptTakesFiveObjects() {
        assertEquals("apple 30\nbread 250\ntotal 280", new Order().add("apple", 30).add("bread", 250).receipt());
    }
}
