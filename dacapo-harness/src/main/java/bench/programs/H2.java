package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** h2: an order-entry mix like TPC-C's (new order, payment, order status, delivery, stock level) on H2 in memory. */
public final class H2 implements Program {
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static final int DISTRICTS = 10;
    private static final int CUSTOMERS = 60;
    private static final int ITEMS = 1000;
    private static final int TRANSACTIONS = 3000;

    /** Its own, beside those of other instances. */
    private final String url = "jdbc:h2:mem:orders" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
    private Connection connection;
    private PreparedStatement nextOrder, bumpOrder, addOrder, addLine, price, takeStock, pay, payDistrict, history, customerByName, lastOrder, linesOf;
    private PreparedStatement oldest, deliver, amountOf, credit, stockLevel;
    private long seen;

    @Override
    public void prepare(Place place) {}

    @Override
    public void before() throws SQLException {
        if (connection != null) {
            try (Statement s = connection.createStatement()) {
                s.execute("shutdown");
            }
        }
        connection = DriverManager.getConnection(url);
        try (Statement s = connection.createStatement()) {
            s.execute("create table district(d int primary key, next_order int, ytd decimal(12, 2))");
            s.execute("create table customer(d int, c int, name varchar(20), balance decimal(12, 2), payments int, primary key(d, c))");
            s.execute("create table item(i int primary key, name varchar(24), price decimal(8, 2))");
            s.execute("create table stock(i int primary key, quantity int, ytd int)");
            s.execute("create table orders(d int, o int, c int, delivered boolean, primary key(d, o))");
            s.execute("create table line(d int, o int, n int, i int, quantity int, amount decimal(10, 2), primary key(d, o, n))");
            s.execute("create table history(d int, c int, amount decimal(8, 2), note varchar(40))");
            s.execute("create index by_name on customer(d, name)");
            s.execute("create index by_customer on orders(d, c, o)");
            s.execute("create index open_orders on orders(d, delivered, o)");
        }
        fill();
        statements();
        connection.setAutoCommit(false);
    }

    private void fill() throws SQLException {
        SplittableRandom random = new SplittableRandom(1);
        try (PreparedStatement district = connection.prepareStatement("insert into district values(?, 1, 0)");
                PreparedStatement customer = connection.prepareStatement("insert into customer values(?, ?, ?, 0, 0)")) {
            for (int d = 0; d < DISTRICTS; d++) {
                district.setInt(1, d);
                district.execute();
                for (int c = 0; c < CUSTOMERS; c++) {
                    customer.setInt(1, d);
                    customer.setInt(2, c);
                    customer.setString(3, name(c % 20));
                    customer.execute();
                }
            }
        }
        try (PreparedStatement item = connection.prepareStatement("insert into item values(?, ?, ?)");
                PreparedStatement stock = connection.prepareStatement("insert into stock values(?, 100, 0)")) {
            for (int i = 0; i < ITEMS; i++) {
                item.setInt(1, i);
                item.setString(2, "item " + Integer.toString(random.nextInt(1 << 30), 36));
                item.setBigDecimal(3, BigDecimal.valueOf(100 + random.nextInt(9900), 2));
                item.execute();
                stock.setInt(1, i);
                stock.execute();
            }
        }
    }

    private static String name(int number) {
        String[] parts = {"bar", "ought", "able", "pri", "pres"};
        return parts[number % 5] + parts[number / 5];
    }

    private void statements() throws SQLException {
        nextOrder = connection.prepareStatement("select next_order from district where d = ? for update");
        bumpOrder = connection.prepareStatement("update district set next_order = next_order + 1 where d = ?");
        addOrder = connection.prepareStatement("insert into orders values(?, ?, ?, false)");
        addLine = connection.prepareStatement("insert into line values(?, ?, ?, ?, ?, ?)");
        price = connection.prepareStatement("select price, name from item where i = ?");
        takeStock = connection.prepareStatement(
                "update stock set quantity = case when quantity >= ? + 10 then quantity - ? else quantity - ? + 91 end, ytd = ytd + ? where i = ?");
        pay = connection.prepareStatement("update customer set balance = balance - ?, payments = payments + 1 where d = ? and c = ?");
        payDistrict = connection.prepareStatement("update district set ytd = ytd + ? where d = ?");
        history = connection.prepareStatement("insert into history values(?, ?, ?, ?)");
        customerByName = connection.prepareStatement("select c, balance from customer where d = ? and name = ? order by c");
        lastOrder = connection.prepareStatement("select max(o) from orders where d = ? and c = ?");
        linesOf = connection.prepareStatement("select i, quantity, amount from line where d = ? and o = ? order by n");
        oldest = connection.prepareStatement("select o, c from orders where d = ? and delivered = false order by o fetch first 1 row only");
        deliver = connection.prepareStatement("update orders set delivered = true where d = ? and o = ?");
        amountOf = connection.prepareStatement("select sum(amount) from line where d = ? and o = ?");
        credit = connection.prepareStatement("update customer set balance = balance + ? where d = ? and c = ?");
        stockLevel = connection.prepareStatement(
                "select count(distinct line.i) from line join stock on line.i = stock.i where d = ? and o between ? and ? and stock.quantity < ?");
    }

    @Override
    public void iterate() throws SQLException {
        SplittableRandom random = new SplittableRandom(2);
        seen = 0;
        for (int i = 0; i < TRANSACTIONS; i++) {
            int d = random.nextInt(DISTRICTS);
            int kind = random.nextInt(100);
            if (kind < 45) {
                newOrder(random, d);
            } else if (kind < 88) {
                payment(random, d);
            } else if (kind < 92) {
                orderStatus(random, d);
            } else if (kind < 96) {
                delivery(d);
            } else {
                stockLevel(d);
            }
        }
    }

    private void newOrder(SplittableRandom random, int d) throws SQLException {
        int order = number(nextOrder, d);
        run(bumpOrder, d);
        run(addOrder, d, order, random.nextInt(CUSTOMERS));
        int lines = 5 + random.nextInt(11);
        for (int n = 0; n < lines; n++) {
            // One order in a hundred names an item that is not there, at its last line, and is rolled back.
            int item = n == lines - 1 && random.nextInt(100) == 0 ? ITEMS : Math.min(random.nextInt(ITEMS), random.nextInt(ITEMS));
            int quantity = 1 + random.nextInt(10);
            price.setInt(1, item);
            try (ResultSet r = price.executeQuery()) {
                if (!r.next()) {
                    connection.rollback();
                    return;
                }
                run(takeStock, quantity, quantity, quantity, quantity, item);
                run(addLine, d, order, n, item, quantity, r.getBigDecimal(1).multiply(BigDecimal.valueOf(quantity)));
                seen += r.getString(2).length();
            }
        }
        connection.commit();
    }

    private void payment(SplittableRandom random, int d) throws SQLException {
        BigDecimal amount = BigDecimal.valueOf(100 + random.nextInt(500_000), 2);
        int c = random.nextInt(100) < 60 ? byName(d, name(random.nextInt(20))) : random.nextInt(CUSTOMERS);
        run(payDistrict, amount, d);
        run(pay, amount, d, c);
        run(history, d, c, amount, "payment " + d + "/" + c);
        connection.commit();
    }

    /** The customer in the middle of those with the name. */
    private int byName(int d, String name) throws SQLException {
        customerByName.setInt(1, d);
        customerByName.setString(2, name);
        try (ResultSet r = customerByName.executeQuery()) {
            int[] found = new int[CUSTOMERS];
            int count = 0;
            while (r.next()) {
                found[count++] = r.getInt(1);
                seen += r.getBigDecimal(2).signum();
            }
            return found[count / 2];
        }
    }

    private void orderStatus(SplittableRandom random, int d) throws SQLException {
        int order = number(lastOrder, d, random.nextInt(CUSTOMERS));
        set(linesOf, d, order);
        try (ResultSet r = linesOf.executeQuery()) {
            while (r.next()) {
                seen += r.getInt(1) + r.getInt(2) + r.getBigDecimal(3).intValue();
            }
        }
        connection.commit();
    }

    private void delivery(int d) throws SQLException {
        set(oldest, d);
        try (ResultSet r = oldest.executeQuery()) {
            if (r.next()) {
                int order = r.getInt(1);
                run(deliver, d, order);
                set(amountOf, d, order);
                try (ResultSet sum = amountOf.executeQuery()) {
                    sum.next();
                    run(credit, sum.getBigDecimal(1), d, r.getInt(2));
                }
            }
        }
        connection.commit();
    }

    private void stockLevel(int d) throws SQLException {
        int next = number(nextOrder, d);
        seen += number(stockLevel, d, Math.max(1, next - 20), next, 60);
        connection.commit();
    }

    private static void set(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    private static void run(PreparedStatement statement, Object... values) throws SQLException {
        set(statement, values);
        statement.executeUpdate();
    }

    private static int number(PreparedStatement statement, Object... values) throws SQLException {
        set(statement, values);
        try (ResultSet r = statement.executeQuery()) {
            r.next();
            return r.getInt(1);
        }
    }

    @Override
    public long validate() throws SQLException {
        Digest digest = new Digest().add(seen);
        String[] queries = {
            "select d, next_order, ytd from district order by d",
            "select d, c, balance, payments from customer order by d, c",
            "select i, quantity, ytd from stock order by i",
            "select delivered, count(*), sum(c) from orders group by delivered order by 1",
            "select d, count(*), sum(amount) from line group by d order by d",
            "select d, count(*), sum(amount) from history group by d order by d",
        };
        try (Statement s = connection.createStatement()) {
            for (String query : queries) {
                try (ResultSet r = s.executeQuery(query)) {
                    int columns = r.getMetaData().getColumnCount();
                    while (r.next()) {
                        for (int column = 1; column <= columns; column++) {
                            digest.add(String.valueOf(r.getObject(column)));
                        }
                    }
                }
            }
            // What was sold is what the stock says; what was paid is what the districts say.
            check(s, "select (select sum(ytd) from stock) = (select sum(quantity) from line)");
            check(s, "select (select sum(ytd) from district) = (select sum(amount) from history)");
        }
        return digest.value();
    }

    private static void check(Statement s, String query) throws SQLException {
        try (ResultSet r = s.executeQuery(query)) {
            if (!r.next() || !r.getBoolean(1)) throw new IllegalStateException(query);
        }
    }
}
