import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Derby in memory: tables, triggers, functions in Java, joins, savepoints and errors. */
public final class Database {
    private Database() {}

    /** A function of SQL. */
    public static int weigh(String text, int n) {
        if (n == 13) throw new IllegalArgumentException("unlucky");
        return text.length() * n;
    }

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection("jdbc:derby:memory:shop;create=true"); Statement s = c.createStatement()) {
            s.execute("create table item (id int primary key, name varchar(40), price int)");
            s.execute("create table sale (id int generated always as identity, item int references item, n int)");
            s.execute("create table noted (what varchar(60))");
            s.execute("create trigger note after insert on item referencing new as n for each row insert into noted values ('new ' || n.name)");
            s.execute("create function weigh(t varchar(40), n int) returns int language java parameter style java no sql external name 'Database.weigh'");
            c.setAutoCommit(false);
            try (PreparedStatement p = c.prepareStatement("insert into item values (?, ?, ?)")) {
                for (int i = 0; i < 60; i++) {
                    p.setInt(1, i);
                    p.setString(2, "item" + i * 7 % 23);
                    p.setInt(3, i * i % 97);
                    p.executeUpdate();
                }
            }
            try (PreparedStatement p = c.prepareStatement("insert into sale (item, n) values (?, ?)")) {
                for (int i = 0; i < 150; i++) {
                    p.setInt(1, i * 31 % 70);
                    p.setInt(2, i % 9);
                    try {
                        p.executeUpdate();
                    } catch (SQLException e) {
                        if (i < 30) System.out.println(e.getSQLState());
                    }
                }
            }
            c.commit();
            for (String query : new String[] {
                "select name, sum(n * price) from item join sale on item.id = sale.item group by name having sum(n) > 20 order by 2 desc, 1",
                "select count(*) from noted where what like '%item1%'",
                "select max(weigh(name, price)) from item where price <> 13",
                "select i.name, (select count(*) from sale where item = i.id) from item i where i.price in (select n from sale) order by i.id",
                "select weigh(name, 13) from item",
            }) {
                try (ResultSet r = s.executeQuery(query)) {
                    while (r.next()) System.out.println(r.getString(1) + " " + (r.getMetaData().getColumnCount() > 1 ? r.getString(2) : ""));
                } catch (SQLException e) {
                    System.out.println(e.getSQLState());
                }
            }
            c.rollback();
        }
    }
}
