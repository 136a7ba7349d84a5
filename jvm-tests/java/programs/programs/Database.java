package programs;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** H2 in memory: a small shop, queried and updated by three threads. */
public final class Database {
    private static final String URL = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1";

    private Database() {}

    private static void fill(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("create table customer(id int primary key, name varchar(40), city varchar(20))");
            s.execute("create table orders(id int auto_increment primary key, customer int references customer(id), amount decimal(10, 2), placed date)");
            s.execute("create index by_day on orders(placed)");
        }
        SplittableRandom random = new SplittableRandom(7);
        try (PreparedStatement p = c.prepareStatement("insert into customer values(?, ?, ?)")) {
            for (int i = 0; i < 120; i++) {
                p.setInt(1, i);
                p.setString(2, "name" + i);
                p.setString(3, "city" + random.nextInt(10));
                p.addBatch();
            }
            p.executeBatch();
        }
        try (PreparedStatement p = c.prepareStatement("insert into orders(customer, amount, placed) values(?, ?, dateadd(day, ?, date '2024-01-01'))")) {
            for (int i = 0; i < 1500; i++) {
                p.setInt(1, random.nextInt(120));
                p.setBigDecimal(2, java.math.BigDecimal.valueOf(random.nextInt(100_000), 2));
                p.setInt(3, random.nextInt(365));
                p.execute();
            }
        }
    }

    private static final String[] QUERIES = {
        "select city, count(*), sum(amount) from customer join orders on customer.id = customer group by city order by 3 desc",
        "select name, (select max(amount) from orders where customer = c.id) m from customer c where name like 'name1%' order by m nulls first, name",
        "with recursive t(n) as (select 1 union all select n + 1 from t where n < 60) select sum(n), avg(n) from t",
        "select month(placed), listagg(distinct customer, ',') within group (order by customer) from orders where amount > 900 group by month(placed) order by 1",
        "select name, rank() over (partition by city order by id) from customer where exists (select 1 from orders where customer = customer.id) order by 1, 2",
        "select regexp_replace(upper(name), '[0-9]+', '#'), cast(id as varchar) || case when id > 50 then 'a' else 'b' end from customer order by id limit 30",
    };

    private static long query(Connection c, int rounds) throws SQLException {
        long hash = 0;
        for (int i = 0; i < rounds; i++) {
            for (String query : QUERIES) {
                try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(query)) {
                    while (r.next()) {
                        hash = hash * 31 + r.getString(1).hashCode() + String.valueOf(r.getObject(r.getMetaData().getColumnCount())).hashCode();
                    }
                }
            }
            try (Statement s = c.createStatement()) {
                s.execute("selec nonsense");
            } catch (SQLException e) {
                hash = hash * 31 + e.getErrorCode();
            }
        }
        return hash;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        try (Connection c = DriverManager.getConnection(URL)) {
            fill(c);
            System.out.println(query(c, 1));
            List<Thread> threads = new ArrayList<>();
            long[] sums = new long[3];
            for (int i = 0; i < sums.length; i++) {
                int n = i;
                Thread t = new Thread(() -> {
                    try (Connection own = DriverManager.getConnection(URL)) {
                        sums[n] = query(own, rounds);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                threads.add(t);
                t.start();
            }
            for (Thread t : threads) {
                t.join();
            }
            System.out.println(sums[0] + " " + (sums[0] == sums[1] && sums[1] == sums[2]));
            try (Statement s = c.createStatement()) {
                System.out.println(s.executeUpdate("update orders set amount = amount * 2 where mod(id, 3) = 0"));
                System.out.println(s.executeUpdate("delete from orders where amount < 50"));
                s.execute("shutdown");
            }
        }
    }
}
