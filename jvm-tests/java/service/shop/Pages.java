package shop;

import java.util.concurrent.ExecutorService;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What is answered: one method for each page, and what is wrong with it. */
@RestController
class Pages {
    private final Orders orders;
    private final ExecutorService mails;
    private final Stock stock = new Stock();

    Pages(Orders orders, ExecutorService mails) {
        this.orders = orders;
        this.mails = mails;
    }

    /** Writes to the database and reads from it. */
    @GetMapping("/order/{customer}")
    String order(@PathVariable("customer") String customer) {
        if (customer.isBlank()) {
            throw new IllegalArgumentException("nobody has ordered");
        }
        orders.save(new Order(customer));
        return customer + " has ordered " + orders.findByCustomer(customer).size();
    }

    /** Allocates far more than it answers. */
    @GetMapping("/receipt/{lines}")
    String receipt(@PathVariable("lines") int lines) {
        return "receipt of " + Receipt.print(lines).length;
    }

    /** Throws for each coupon that is no number. */
    @GetMapping("/coupon/{code}")
    String coupon(@PathVariable("code") String code) {
        return Coupons.percent(code) + " percent";
    }

    /** Waits until nobody else takes or counts. */
    @GetMapping("/take/{item}")
    String take(@PathVariable("item") String item) throws InterruptedException {
        return "left " + stock.take(item);
    }

    /** Keeps all others waiting. */
    @GetMapping("/count")
    String count() throws InterruptedException {
        return "counted " + stock.count();
    }

    /** Remembers each visit for ever. */
    @GetMapping("/visit/{visitor}")
    String visit(@PathVariable("visitor") String visitor) {
        return Sessions.open(visitor) ? "welcome" : "welcome back";
    }

    /** Hands a task to a pool, where it fails, and waits for its end. */
    @GetMapping("/mail/{to}")
    String mail(@PathVariable("to") String to) throws Exception {
        mails.submit(new Mail(to)).get();
        return "mail to " + to;
    }

    /** Burns time of the processor. */
    @GetMapping("/tax/{rounds}")
    String tax(@PathVariable("rounds") int rounds) {
        return "tax " + Tax.of(rounds);
    }
}
