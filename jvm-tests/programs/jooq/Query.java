import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;

import java.sql.DriverManager;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** jOOQ: tables, batches, a nested transaction that rolls back, errors. */
public final class Query {
    private Query() {}

    public static void main(String[] args) throws Exception {
        DSLContext sql = DSL.using(DriverManager.getConnection("jdbc:h2:mem:shop"), SQLDialect.H2);
        Table<Record> items = table(name("items"));
        Field<Integer> id = field(name("id"), Integer.class);
        Field<String> kind = field(name("kind"), String.class);
        Field<Integer> price = field(name("price"), Integer.class);
        sql.createTable(items).column(id, SQLDataType.INTEGER).column(kind, SQLDataType.VARCHAR(20)).column(price, SQLDataType.INTEGER).primaryKey(id).execute();
        for (int i = 0; i < 60; i++) sql.insertInto(items).columns(id, kind, price).values(i, "k" + i % 5, i * i % 83).execute();
        System.out.println(sql.select(kind, count(), sum(price)).from(items).where(price.gt(10)).groupBy(kind).orderBy(kind).fetch().formatCSV());
        int failed = 0;
        for (int i = 0; i < 10; i++) {
            int n = i;
            try {
                sql.transaction(outer -> {
                    DSL.using(outer).update(items).set(price, price.plus(1)).where(id.lt(30)).execute();
                    if (n % 3 == 0) DSL.using(outer).insertInto(items).columns(id).values(n).execute();
                });
            } catch (DataAccessException e) {
                failed++;
            }
        }
        System.out.println(failed + " " + sql.fetchOne("select sum(\"price\") from \"items\"").get(0));
    }
}
