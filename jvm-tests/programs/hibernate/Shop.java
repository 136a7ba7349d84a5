import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.LazyInitializationException;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.Configuration;

/** Hibernate: proxies made at run time, a lazy collection, queries, a constraint that fails. */
public final class Shop {
    private Shop() {}

    /** Has orders. */
    @Entity(name = "Customer")
    public static class Customer {
        @Id
        @GeneratedValue
        Long id;
        String name;
        @OneToMany(mappedBy = "customer", cascade = CascadeType.ALL)
        List<Purchase> purchases = new ArrayList<>();

        /** Asked of a proxy, which loads the row. */
        public String name() {
            return name;
        }

        /** Likewise. */
        public List<Purchase> purchases() {
            return purchases;
        }
    }

    /** Belongs to a customer. */
    @Entity(name = "Purchase")
    public static class Purchase {
        @Id
        @GeneratedValue
        Long id;
        int amount;
        @ManyToOne(fetch = FetchType.LAZY, optional = false)
        Customer customer;
    }

    public static void main(String[] args) {
        Logger.getLogger("").setLevel(Level.OFF);
        Configuration configuration = new Configuration().addAnnotatedClass(Customer.class).addAnnotatedClass(Purchase.class)
                .setProperty("hibernate.connection.url", "jdbc:h2:mem:shop").setProperty("hibernate.hbm2ddl.auto", "create");
        try (SessionFactory factory = configuration.buildSessionFactory()) {
            try (Session session = factory.openSession()) {
                Transaction transaction = session.beginTransaction();
                for (int i = 0; i < 20; i++) {
                    Customer customer = new Customer();
                    customer.name = "c" + i;
                    for (int j = 0; j < i % 5; j++) {
                        Purchase purchase = new Purchase();
                        purchase.amount = i * j;
                        purchase.customer = customer;
                        customer.purchases.add(purchase);
                    }
                    session.persist(customer);
                }
                transaction.commit();
            }
            Customer detached;
            try (Session session = factory.openSession()) {
                System.out.println(session.createQuery("select p.customer.name, sum(p.amount) from Purchase p group by p.customer.name order by p.customer.name", Object[].class)
                        .list().stream().map(row -> row[0] + "=" + row[1]).collect(java.util.stream.Collectors.toList()));
                int amount = 0;
                for (Purchase purchase : session.createQuery("from Purchase", Purchase.class).list()) {
                    amount += purchase.amount + purchase.customer.name().length() + purchase.customer.purchases().size();
                }
                System.out.println(amount);
                detached = session.createQuery("from Customer where name = 'c4'", Customer.class).uniqueResult();
            }
            try {
                detached.purchases.size();
            } catch (LazyInitializationException e) {
                System.out.println("lazy");
            }
            try (Session session = factory.openSession()) {
                Transaction transaction = session.beginTransaction();
                session.persist(new Purchase());
                transaction.commit();
            } catch (RuntimeException e) {
                System.out.println(e.getClass().getSimpleName());
            }
        }
    }
}
