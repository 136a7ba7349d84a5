package bench.spring;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

/** The table. */
public interface Items extends JpaRepository<Item, Long> {
    List<Item> findByNameStartingWith(String start);
}
