package java.lang;

/**
 * What the hooks must know of the agent's tables: offsets, bits and multipliers. Only compiled against, for all are constants.
 *
 * <p>Made from hook-tables/src/layout.rs; see hook-tables/tests/layout.rs.
 */
final class LucceLayout {
    /** Low bits of a callee's id that choose among the values of a site. */
    static final int WAY_BITS = 3;
    /** Binary logarithm of the bytes of the values of all sites. */
    static final int SITE_BITS = 26;
    /** Bits of a value that are the addition value. */
    static final int ADDITION_BITS = 37;
    /** No callee with a tag as large has values. */
    static final int TAGS = 65536;
    /** The least word with a version. */
    static final long VERSIONED = 0x0080000000000000L;
    /** Flag of a word: a spilled entry of the shadow stack belongs to it. */
    static final long CHAINED = 1L;
    /** Flag of a value that is an address: the link is cut, and holds for every word of the caller. */
    static final long ALWAYS = 1L;
    /** Bits of such a value that are the address. */
    static final long ADDRESS = 0x7FFFFFFFFFFFFFE0L;
    /** In a link record: the callee, or its complement; 0 in what is none. */
    static final int LINK_CALLEE = 0;
    /** The site. */
    static final int LINK_SITE = 4;
    /** The first word of the caller that it holds for, biased. */
    static final int LINK_LO = 8;
    /** How many, biased. */
    static final int LINK_LEN = 16;
    /** The addition value, or the word. */
    static final int LINK_AV = 24;
    /** The next record of the bucket. */
    static final int LINK_NEXT = 32;
    /** What it does. */
    static final int LINK_KIND = 40;
    /** How often it was used, under verify. */
    static final int LINK_USES = 44;
    /** Kind of a link or edge: nothing is stored. */
    static final int PLAIN = 0;
    /** It is pushed. */
    static final int PUSHED = 1;
    /** It is pushed as a cut entry. */
    static final int CUT = 2;
    /** Multipliers of the hash of two numbers: of the first, */
    static final int HASH_A = 0x9E3779B1;
    /** and of the second. */
    static final int HASH_B = 0x85EBCA6B;
    /** In the record of a captured context, behind its word: the site. */
    static final int CAPTURE_SITE = 8;
    /** The node below. */
    static final int CAPTURE_BELOW = 16;
    /** Its number. */
    static final int CAPTURE_ID = 24;
    /** The next record of the bucket. */
    static final int CAPTURE_NEXT = 32;
    /** Longs of an entry of a thread's shadow stack; the first is the caller's word. */
    static final int ENTRY = 4;
    /** Behind it the kind, the method and the site. */
    static final int ENTRY_CALL = 1;
    /** The word of the activation. */
    static final int ENTRY_WORD = 2;
    /** The captured node, in the low half. */
    static final int ENTRY_NODE = 3;
    /** Bits of that long that are the node. */
    static final long CAPTURED = 0x00000000FFFFFFFFL;
    /** Bit of a thread's top: the push of a frame that has left found no memory. */
    static final int UNSAVED = 0x40000000;
    /** In the record of a count, behind its word: the site, or its complement. */
    static final int TALLY_SITE = 8;
    /** Bytes of an array before its elements. */
    static final int TALLY_BASE = 12;
    /** The node below the topmost cut, and the class. */
    static final int TALLY_OWNER = 16;
    /** How often it was used. */
    static final int TALLY_COUNT = 24;
    /** Bytes of arrays. */
    static final int TALLY_BYTES = 32;
    /** The next record of the bucket. */
    static final int TALLY_NEXT = 40;
    /** Binary logarithm of the bytes of an element. */
    static final int TALLY_SHIFT = 48;
    /** The origin of the task that counts, or 0. */
    static final int TALLY_ORIGIN = 60;
    /** So many numbers of origins have a key, each an int; a power of two. */
    static final int ORIGIN_KEYS = 0x00200000;
    /** Flag of a word: it is a node of a tree, neither lost nor none. Gone where it is shifted to an address. */
    static final long TREE = 0x4000000000000000L;
    /** So far a word is shifted to be the node's address. */
    static final int NODE_SHIFT = 3;
    /** In a node of a tree, behind its key: its parent. */
    static final int NODE_PARENT = 8;
    /** Its edge. */
    static final int NODE_EDGE = 24;
    /** The children met last. */
    static final int NODE_SLOTS = 32;
    /** Flag of a node's key: the hooks must not take it as plain. */
    static final long ASK = 0x8000000000000000L;
    /** In an edge, behind its key: what it does. */
    static final int EDGE_KIND = 8;
    /** How often it was used, under verify. */
    static final int EDGE_USES = 12;
    /** The next edge of the bucket. */
    static final int EDGE_NEXT = 24;
    /** Binary logarithm of the buckets of edges. */
    static final int EDGE_BITS = 16;
    /** Multiplier of their hash. */
    static final long EDGE_SPREAD = 0x9E3779B97F4A7C15L;
    /** Binary logarithm of the bytes of a tree's head. */
    static final int TREE_BITS = 6;
    /** In a head, behind the address of the table: 64 less the logarithm of its length. */
    static final int TREE_SHIFT = 8;
    /** The thread's buffer. */
    static final int TREE_TRACE = 56;
    /** In a buffer, behind its cursor: from where on it is to be handed on. */
    static final int BUFFER_FULL = 8;
    /** Behind its last word. */
    static final int BUFFER_END = 16;
    /** Multipliers of the hash of a node: of its parent, */
    static final long SPREAD_PARENT = 0x9E3779B97F4A7C15L;
    /** and of its key. */
    static final long SPREAD_KEY = 0xC2B2AE3D27D4EB4FL;

    private LucceLayout() {}
}
