import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.rocksdb.AbstractComparator;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.ComparatorOptions;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** RocksDB: native code, on threads of its own, too, asks a comparator in Java and tells a listener. */
public final class Store {
    private static final AtomicInteger FLUSHED = new AtomicInteger();

    private Store() {}

    /** Orders backwards. */
    static final class Backwards extends AbstractComparator {
        Backwards(ComparatorOptions options) {
            super(options);
        }

        @Override
        public String name() {
            return "backwards";
        }

        @Override
        public int compare(ByteBuffer a, ByteBuffer b) {
            return b.compareTo(a);
        }
    }

    /** Counts flushes. */
    static final class Listener extends AbstractEventListener {
        @Override
        public void onFlushCompleted(RocksDB db, FlushJobInfo info) {
            FLUSHED.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        RocksDB.loadLibrary();
        try (ComparatorOptions comparing = new ComparatorOptions(); Backwards backwards = new Backwards(comparing); Listener listener = new Listener();
                Options options = new Options().setCreateIfMissing(true).setComparator(backwards).setListeners(List.of(listener))) {
            try (RocksDB db = RocksDB.open(options, "db"); WriteOptions write = new WriteOptions(); FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
                for (int round = 0; round < 3; round++) {
                    try (WriteBatch batch = new WriteBatch()) {
                        for (int i = 0; i < 300; i++) batch.put(bytes("key" + i * 37 % 400), bytes("value" + round));
                        db.write(write, batch);
                    }
                    db.flush(flush);
                }
                db.compactRange();
                int count = 0;
                String first = null;
                try (RocksIterator all = db.newIterator()) {
                    for (all.seekToFirst(); all.isValid(); all.next()) {
                        if (first == null) first = new String(all.key(), StandardCharsets.UTF_8);
                        count++;
                    }
                }
                System.out.println(count + " " + first + " " + new String(db.get(bytes("key7")), StandardCharsets.UTF_8));
            }
        }
        System.out.println(FLUSHED.get() > 0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
