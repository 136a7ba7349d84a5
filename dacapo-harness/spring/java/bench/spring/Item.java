package bench.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** What the table holds. */
@Entity
public class Item {
    @Id
    @GeneratedValue
    private Long id;

    private String name;

    protected Item() {
    }

    Item(String name) {
        this.name = name;
    }

    public Long getId() {
        return id;
    }

    public String getName() {
        return name;
    }
}
