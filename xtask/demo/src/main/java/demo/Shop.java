package demo;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** A small shop in an in-memory H2 database: fills it, asks it questions from two threads, prints the answers. */
public final class Shop {
    private static final String URL = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1";
    private static final int CUSTOMERS = 2_000;
    private static final int ORDERS = 20_000;
    private static final int ROUNDS = 8;

    private Shop() {}

    /** Runs the shop; the output does not depend on the run. */
    public static void main(String[] args) throws Exception {
        try (Connection connection = DriverManager.getConnection(URL)) {
            fill(connection);
            Thread clerk = new Thread(Shop::serve, "clerk");
            clerk.start();
            report(connection);
            clerk.join();
            print(connection, "orders after service", "SELECT COUNT(*), SUM(amount) FROM orders");
        }
    }

    private static void fill(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE customers(id INT PRIMARY KEY, name VARCHAR(40), region VARCHAR(10))");
            statement.execute("CREATE TABLE orders(id INT PRIMARY KEY, customer INT REFERENCES customers(id),"
                    + " amount DECIMAL(10, 2), note VARCHAR(80))");
        }
        Random random = new Random(42);
        String[] regions = {"north", "east", "south", "west"};
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO customers VALUES (?, ?, ?)")) {
            for (int id = 0; id < CUSTOMERS; id++) {
                insert.setInt(1, id);
                insert.setString(2, "customer " + id);
                insert.setString(3, regions[random.nextInt(regions.length)]);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?, ?)")) {
            for (int id = 0; id < ORDERS; id++) {
                insert.setInt(1, id);
                insert.setInt(2, random.nextInt(CUSTOMERS));
                insert.setBigDecimal(3, BigDecimal.valueOf(random.nextInt(100_000), 2));
                insert.setString(4, "note " + random.nextInt(1_000));
                insert.executeUpdate();
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE INDEX by_customer ON orders(customer)");
        }
    }

    private static void report(Connection connection) throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            boolean last = round == ROUNDS - 1;
            query(connection, "SELECT region, COUNT(*) FROM customers GROUP BY region ORDER BY region", last);
            query(connection, "SELECT MAX(LENGTH(c.name)) FROM customers c WHERE c.id IN (SELECT customer FROM orders WHERE id < 500)", last);
            query(connection, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT SUM(i) FROM n", last);
            query(connection, "SELECT c.region, COUNT(DISTINCT o.note) FROM customers c JOIN orders o ON o.customer = c.id"
                    + " WHERE o.id < 5000 GROUP BY c.region HAVING COUNT(*) > 10 ORDER BY 1", last);
        }
    }

    /** The second thread: pays orders in transactions of its own. */
    private static void serve() {
        try (Connection connection = DriverManager.getConnection(URL);
                PreparedStatement pay = connection.prepareStatement("UPDATE orders SET amount = amount + 1, note = ? WHERE id = ?")) {
            connection.setAutoCommit(false);
            for (int id = 5_000; id < ORDERS; id++) {
                pay.setString(1, "paid " + id);
                pay.setInt(2, id);
                pay.executeUpdate();
                if (id % 1_000 == 0) connection.commit();
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void query(Connection connection, String sql, boolean show) throws SQLException {
        if (show) {
            print(connection, "", sql);
            return;
        }
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) rows.getString(1);
        }
    }

    private static void print(Connection connection, String title, String sql) throws SQLException {
        System.out.println(title.isEmpty() ? sql : title);
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                StringBuilder line = new StringBuilder(" ");
                for (int i = 1; i <= columns; i++) line.append(' ').append(rows.getString(i));
                System.out.println(line);
            }
        }
    }
}
