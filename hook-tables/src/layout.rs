//! What the hooks must know of the tables to read them: offsets, bits and multipliers.
//!
//! Invariant: each number is made from the Rust type or constant that it is about.
//! `tests/layout.rs` writes them as the Java class `LucceLayout`, and fails where that is not what
//! is committed. Java's compiler puts the numbers into the hooks, so the class itself is not in the
//! agent.
//! Source: docs/design/link-tables.md, docs/design/thread-state.md, docs/design/tallies.md.

use std::mem::offset_of;

use lucce_words::{ADDITION_BITS, TAGS, Version, WAYS, Word};

use crate::cct::buffer::Buffer;
use crate::cct::edges::{self, CctEdge};
use crate::cct::node::{self, ASK, CctNode};
use crate::cct::tree::{self, Tree};
use crate::context_table::CaptureRecord;
use crate::links::{HASH, LinkRecord, RecordKind};
use crate::shadow_stack;
use crate::sizes::{EDGE_BITS, ORIGIN_KEYS, WAY};
use crate::tallies::TallyRecord;
use crate::values::{ADDRESS, ALWAYS};

/// A number of a Java type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
}

/// A constant of the class.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// Its type and value.
    pub number: Number,
    /// What it says, as a sentence.
    pub meaning: &'static str,
}

const fn int(name: &'static str, number: usize, meaning: &'static str) -> Constant {
    assert!(number <= i32::MAX as usize);
    Constant { name, number: Number::Int(number as i32), meaning }
}

const fn bits(name: &'static str, number: u32, meaning: &'static str) -> Constant {
    Constant { name, number: Number::Int(number as i32), meaning }
}

const fn long(name: &'static str, number: u64, meaning: &'static str) -> Constant {
    Constant { name, number: Number::Long(number as i64), meaning }
}

/// All constants, by table.
pub const CONSTANTS: &[Constant] = &[
    int(
        "WAY_BITS",
        WAYS.trailing_zeros() as usize,
        "Low bits of a callee's id that choose among the values of a site.",
    ),
    int("SITE_BITS", WAY.trailing_zeros() as usize, "Binary logarithm of the bytes of the values of all sites."),
    int("ADDITION_BITS", ADDITION_BITS as usize, "Bits of a value that are the addition value."),
    int("TAGS", TAGS as usize, "No callee with a tag as large has values."),
    long("VERSIONED", Word::new(Version(1), false, 0).0, "The least word with a version."),
    long(
        "CHAINED",
        Word::new(Version(0), true, 0).0,
        "Flag of a word: a spilled entry of the shadow stack belongs to it.",
    ),
    long(
        "ALWAYS",
        ALWAYS,
        "Flag of a value that is an address: the link is cut, and holds for every word of the caller.",
    ),
    long("ADDRESS", ADDRESS, "Bits of such a value that are the address."),
    int(
        "LINK_CALLEE",
        offset_of!(LinkRecord, callee),
        "In a link record: the callee, or its complement; 0 in what is none.",
    ),
    int("LINK_SITE", offset_of!(LinkRecord, site), "The site."),
    int("LINK_LO", offset_of!(LinkRecord, lo), "The first word of the caller that it holds for, biased."),
    int("LINK_LEN", offset_of!(LinkRecord, len), "How many, biased."),
    int("LINK_AV", offset_of!(LinkRecord, av), "The addition value, or the word."),
    int("LINK_NEXT", offset_of!(LinkRecord, next), "The next record of the bucket."),
    int("LINK_KIND", offset_of!(LinkRecord, kind), "What it does."),
    int("LINK_USES", offset_of!(LinkRecord, uses), "How often it was used, under verify."),
    int("PLAIN", RecordKind::Plain as usize, "Kind of a link or edge: nothing is stored."),
    int("PUSHED", RecordKind::Restoring as usize, "It is pushed."),
    int("CUT", RecordKind::Cut as usize, "It is pushed as a cut entry."),
    bits("HASH_A", HASH[0] as u32, "Multipliers of the hash of two numbers: of the first,"),
    bits("HASH_B", HASH[1] as u32, "and of the second."),
    int(
        "CAPTURE_SITE",
        offset_of!(CaptureRecord, site),
        "In the record of a captured context, behind its word: the site.",
    ),
    int("CAPTURE_BELOW", offset_of!(CaptureRecord, below), "The node below."),
    int("CAPTURE_ID", offset_of!(CaptureRecord, id), "Its number."),
    int("CAPTURE_NEXT", offset_of!(CaptureRecord, next), "The next record of the bucket."),
    int("ENTRY", shadow_stack::ENTRY, "Longs of an entry of a thread's shadow stack; the first is the caller's word."),
    int("ENTRY_CALL", shadow_stack::CALL, "Behind it the kind, the method and the site."),
    int("ENTRY_WORD", shadow_stack::WORD, "The word of the activation."),
    int("ENTRY_NODE", shadow_stack::NODE, "The captured node, in the low half."),
    long("CAPTURED", u32::MAX as u64, "Bits of that long that are the node."),
    int(
        "UNSAVED",
        shadow_stack::UNSAVED as usize,
        "Bit of a thread's top: the push of a frame that has left found no memory.",
    ),
    int(
        "TALLY_SITE",
        offset_of!(TallyRecord, site),
        "In the record of a count, behind its word: the site, or its complement.",
    ),
    int("TALLY_BASE", offset_of!(TallyRecord, base), "Bytes of an array before its elements."),
    int("TALLY_OWNER", offset_of!(TallyRecord, owner), "The node below the topmost cut, and the class."),
    int("TALLY_COUNT", offset_of!(TallyRecord, count), "How often it was used."),
    int("TALLY_BYTES", offset_of!(TallyRecord, bytes), "Bytes of arrays."),
    int("TALLY_NEXT", offset_of!(TallyRecord, next), "The next record of the bucket."),
    int("TALLY_SHIFT", offset_of!(TallyRecord, shift), "Binary logarithm of the bytes of an element."),
    int("TALLY_ORIGIN", offset_of!(TallyRecord, origin), "The origin of the task that counts, or 0."),
    int("ORIGIN_KEYS", ORIGIN_KEYS, "So many numbers of origins have a key, each an int; a power of two."),
    long(
        "TREE",
        node::FLAG,
        "Flag of a word: it is a node of a tree, neither lost nor none. Gone where it is shifted to an address.",
    ),
    int("NODE_SHIFT", node::WORD_SHIFT as usize, "So far a word is shifted to be the node's address."),
    int("NODE_PARENT", offset_of!(CctNode, parent), "In a node of a tree, behind its key: its parent."),
    int("NODE_EDGE", offset_of!(CctNode, edge), "Its edge."),
    int("NODE_SLOTS", offset_of!(CctNode, slots), "The children met last."),
    long("ASK", ASK, "Flag of a node's key: the hooks must not take it as plain."),
    int("EDGE_KIND", offset_of!(CctEdge, kind), "In an edge, behind its key: what it does."),
    int("EDGE_USES", offset_of!(CctEdge, uses), "How often it was used, under verify."),
    int("EDGE_NEXT", offset_of!(CctEdge, next), "The next edge of the bucket."),
    int("EDGE_BITS", EDGE_BITS as usize, "Binary logarithm of the buckets of edges."),
    long("EDGE_SPREAD", edges::SPREAD, "Multiplier of their hash."),
    int("TREE_BITS", size_of::<Tree>().trailing_zeros() as usize, "Binary logarithm of the bytes of a tree's head."),
    int(
        "TREE_SHIFT",
        offset_of!(Tree, shift),
        "In a head, behind the address of the table: 64 less the logarithm of its length.",
    ),
    int("TREE_TRACE", offset_of!(Tree, trace), "The thread's buffer."),
    int(
        "BUFFER_FULL",
        offset_of!(Buffer, full),
        "In a buffer, behind its cursor: from where on it is to be handed on.",
    ),
    int("BUFFER_END", offset_of!(Buffer, end), "Behind its last word."),
    long("SPREAD_PARENT", tree::SPREAD_PARENT, "Multipliers of the hash of a node: of its parent,"),
    long("SPREAD_KEY", tree::SPREAD_KEY, "and of its key."),
];

const _: () = assert!(offset_of!(CaptureRecord, ctx) == 0 && offset_of!(TallyRecord, word) == 0);
const _: () = assert!(offset_of!(CctNode, key) == 0 && offset_of!(CctEdge, key) == 0 && offset_of!(Tree, table) == 0);
