package hooks;

import java.util.ArrayList;
import java.util.List;
import jdk.internal.misc.Unsafe;

/**
 * The agent's part of the tests: tables in native memory, and natives that note that they were
 * called.
 */
final class World {
    static final Unsafe U = Unsafe.getUnsafe();
    static final int SITE_COUNT = 64;
    static final int MASK = 15;
    private static long free = (U.allocateMemory(1 << 20) + 63) & -64;
    /** Eight values of each site, from -2 on. The memory between those in use is reserved only. */
    private static final long VALUES = U.allocateMemory(16 + (8L << 26)) + 16;
    private static final long BUCKETS = table(MASK + 1, 0);
    private static final long SHORTCUTS = table(MASK + 1, 0);
    private static final long CAPTURES = table(MASK + 1, 0);
    private static final long ORIGINS = table(MASK + 1, 0);
    /** For each origin an int, by which is counted. */
    static final long KEYS = table(1 << 20, 0);
    private static final long TALLIES = table(MASK + 1, 0);
    /** A byte for each method, 0 while it is inactive. */
    static final long ACTIVE = table(SITE_COUNT, 0);
    /** Records of tallies in the order in which they were made. */
    static final List<Long> RECORDS = new ArrayList<>();
    private static final List<Class<?>> CLASSES = new ArrayList<>();

    /** Calls of natives since the last {@code clear()}. */
    static final List<String> CALLS = new ArrayList<>();
    /** Samples since the last {@code clear()}. */
    static final List<String> SAMPLES = new ArrayList<>();
    static Thread current;
    static long checks;
    /** What the oracle throws; null if nothing. */
    static Error failure;

    private World() {}

    static {
        for (int way = 0; way < 8; way++) {
            for (int site = -2; site < SITE_COUNT; site++) U.putLong(value(site, way), 0);
        }
    }

    private static long value(int site, int n) {
        return VALUES + ((long) (n & 7) << 26) + 8L * site;
    }

    private static long table(int entries, long value) {
        long table = U.allocateMemory(8L * entries);
        for (int i = 0; i < entries; i++) U.putLong(table + 8L * i, value);
        return table;
    }

    /**
     * A link record as docs/design/link-tables.md lays it out; {@code kind} 0 plain, 1 restoring, 2
     * cut, 3 constructor.
     */
    static long record(int site, int callee, long lo, long len, long av, int kind) {
        long p = free;
        free += 64;
        U.putInt(p, kind == 0 ? callee : ~callee);
        U.putInt(p + 4, site);
        U.putLong(p + 8, lo + Long.MIN_VALUE);
        U.putLong(p + 16, len + Long.MIN_VALUE);
        U.putLong(p + 24, av);
        U.putLong(p + 32, 0);
        U.putInt(p + 40, kind);
        U.putInt(p + 44, 0);
        return p;
    }

    /**
     * A word of a version whose number is of a block, the {@code nth}; or, {@code late}, one given
     * since.
     */
    static long word(int version, long nth, boolean late) {
        return (long) version << 55 | (late ? 1L << 54 : 1L << 53) | nth << 1;
    }

    /**
     * The site's link moves the caller's block of that version by so many numbers into the
     * callee's.
     */
    static void predict(int site, int callee, int version, long numbers) {
        U.putLong(value(site, callee), word(version, numbers, false) | (long) (callee / 8 + 1) << 37);
    }

    /** The record is the first that is looked at. */
    static void point(int site, int callee, long record) {
        U.putLong(value(site, callee), record | Long.MIN_VALUE);
    }

    /** As {@link #point}, for the record of a cut link that holds for every word of the caller. */
    static void pointAlways(int site, int callee, long record) {
        U.putLong(value(site, callee), record | Long.MIN_VALUE | 1);
    }

    /** Puts the record into the hash table of links. */
    static long publish(int site, int callee, long record) {
        return insert(BUCKETS, site, callee, record);
    }

    /** Puts a captured context into its hash table. */
    static void captured(long ctx, int site, long below, long id) {
        long p = U.allocateMemory(40);
        U.putLong(p, ctx);
        U.putInt(p + 8, site);
        U.putInt(p + 12, 0);
        U.putLong(p + 16, below);
        U.putLong(p + 24, id);
        insert(CAPTURES, site, (int) (ctx ^ (ctx >>> 32)) ^ (int) below, p);
    }

    private static long insert(long table, int a, int b, long record) {
        long h = (a * 2654435761L ^ b * 2246822507L) & 0xFFFF_FFFFL;
        long bucket = table + 8 * ((h ^ h >> 15) & MASK);
        U.putLong(record + 32, U.getLong(bucket));
        U.putLong(bucket, record);
        return record;
    }

    static void registerNatives() {}
    static long values() { return VALUES; }
    static long linkBuckets() { return BUCKETS; }
    static int bucketMask() { return MASK; }
    static long shortcuts() { return SHORTCUTS; }
    static int shortcutMask() { return MASK; }
    static long captureBuckets() { return CAPTURES; }
    static int captureMask() { return MASK; }
    static long originBuckets() { return ORIGINS; }
    static long active() { return ACTIVE; }
    static int originMask() { return MASK; }
    static long originKeys() { return KEYS; }
    static boolean verifying() { return Boolean.getBoolean("verify"); }
    static int verifyInterval() { return Integer.getInteger("interval", 1_000); }
    static long verifyTicks() { return 0; }
    static int encoder() { return Integer.getInteger("encoder", 0); }
    static int profilePeriod() { return Integer.getInteger("profile", 0); }

    /** Threads that have had their sample. */
    private static final List<Thread> SAMPLED = new ArrayList<>();

    /** There is a tick, as the agent makes it. */
    static void tick(int tick) {
        LucceProfile.tick = tick;
        for (Thread t : SAMPLED) t.$lucce$sampled = 0;
        SAMPLED.clear();
    }

    /** What happens while a thread begins to wait: a tick that misses it; and is there no memory? */
    static int missed;
    static boolean isFull;

    static boolean untilTick(Thread t) {
        if (missed != 0) LucceProfile.tick = missed;
        return isFull ? false : SAMPLED.add(t);
    }

    static boolean profileTicks() { return Boolean.getBoolean("ticks"); }
    static boolean profileBursts() { return Boolean.getBoolean("bursts"); }

    /** The third entry of a thread, and each third behind it. */
    static int sample(Thread t, int n, long word, int at) {
        SAMPLES.add(n + " " + word + " " + at + " " + t.$lucce$top);
        deep(20);
        if (failure != null) throw failure;
        return at == 1 ? 2 : 3;
    }

    static long countingCell() { return 0; }
    static void parkingSlow(Thread t, Object blocker) {}
    static void parkedSlow(Thread t, Object blocker, long nanos) {}
    static void transformerAdded0() {}

    static void continues0() {}
    static void stopped0(Thread thread) {}
    static long trees() { return 0; }
    static long edges() { return 0; }
    static long child(int tree, long parent, long edge) { return 0; }
    static void adopt(Thread t) {}
    static boolean traces() { return false; }
    static long buffer(Thread t, int missed) { return 0; }
    static long buckets() { return TALLIES; }
    static int alignment() { return 8; }
    static Thread currentThread() { return current; }

    /** Makes a record and puts it into the table, as the agent does. */
    static long record(Thread t, int key, Class<?> c, int number) {
        CALLS.add("record " + t.$lucce$ctx + " " + t.$lucce$site + " " + key + " " + number);
        long[] stack = t.$lucce$stack;
        long below = (t.$lucce$ctx & 1) == 0 ? 0 : stack[t.$lucce$top - 1] & 0xFFFF_FFFFL;
        long owner = below << 32 | number;
        int origin = U.getInt(KEYS + 4L * t.$lucce$origin);
        long p = U.allocateMemory(64);
        U.putLong(p, owner == 0 && origin == 0 ? t.$lucce$ctx : ~t.$lucce$ctx);
        U.putInt(p + 8, key);
        U.putInt(p + 12, c != null && c.isArray() ? U.arrayBaseOffset(c) : 0);
        U.putLong(p + 16, owner);
        U.putLong(p + 24, 0);
        U.putLong(p + 32, 0);
        U.putInt(p + 48, c != null && c.isArray() ? Integer.numberOfTrailingZeros(U.arrayIndexScale(c)) : 0);
        U.putInt(p + 60, origin);
        long mixed = t.$lucce$ctx ^ owner ^ origin;
        long h = (key * 2654435761L ^ (int) (mixed ^ (mixed >>> 32)) * 2246822507L) & 0xFFFF_FFFFL;
        long bucket = TALLIES + 8 * ((h ^ h >> 15) & MASK);
        U.putLong(p + 40, U.getLong(bucket));
        U.putLong(bucket, p);
        RECORDS.add(p);
        return p;
    }

    static int classNumber(Class<?> c) {
        if (!CLASSES.contains(c)) CLASSES.add(c);
        return CLASSES.indexOf(c) + 1;
    }

    static void check(Thread t, long record) {
        deep(20);
        checks++;
    }

    static long enterSlow(Thread t, int n, long ctx, int site) {
        CALLS.add("enterSlow " + n + " " + ctx + " " + site + " " + t.$lucce$top);
        return 777;
    }

    static void foundOften(long record, int entries) {
        CALLS.add("foundOften " + U.getLong(record + 24) + " " + entries);
    }

    static long enterWalk(Thread t, int n) {
        CALLS.add("enterWalk " + n);
        return 778;
    }

    /** Needs more stack than what comes before it, as the oracle does. */
    static void check(Thread t, int n, long word, long record) {
        deep(20);
        if (failure != null) throw failure;
        checks++;
    }

    private static int deep(int frames) {
        return frames == 0 ? 0 : 1 + deep(frames - 1);
    }

    static long captureSlow(Thread t) {
        CALLS.add("captureSlow");
        return 779;
    }

    static int originSlow(Thread t, long captured, int kind, int parent) {
        CALLS.add("originSlow " + captured + " " + kind + " " + parent);
        return 9;
    }

    static int originWithout(int kind, int ground) { return 0; }
    static int ambiguous(int one, int other) { return 0; }
    static int measurement(int origin) { return 0; }

    static boolean eventSlow(Thread t, String kind, long value) {
        CALLS.add("eventSlow " + kind + " " + value + " " + t.$lucce$site + " " + t.$lucce$ctx);
        return true;
    }

    static boolean eventOf(Thread t, String kind, int id, long value, Class<?> type, long at) { return true; }
    static long hashedWord(Thread t) { return 0; }
    static long walkedWord(Thread t) { return 0; }
    static int walkedSite(Thread t) { return 0; }
    static int kind(String name) { return 0; }
    static StackTraceElement[] trace(long captured) { return null; }
    static Object[] tallies(String kind) { return null; }
    static Object[] tallies(long captured, int measurement) { return null; }
    static boolean countsCalls(Class<?> type, String method) { return false; }
    static boolean hasHooks(Class<?> type, String method) { return false; }
    static long[] hot(double share) { return null; }
    static StackTraceElement[] trace(long context, int site) { return null; }
    static long run() { return 1; }
}
