package bench.spring;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What is answered. */
@RestController
class Pages {
    private final Items items;

    Pages(Items items) {
        this.items = items;
    }

    @GetMapping("/items/{start}")
    List<Item> items(@PathVariable("start") String start) {
        return items.findByNameStartingWith(start);
    }
}
