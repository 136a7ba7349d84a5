package shop;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

/** The table. */
public interface Orders extends JpaRepository<Order, Long> {
    List<Order> findByCustomer(String customer);
}
