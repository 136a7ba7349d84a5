//! The first byte of a record. Tags from [`SIZED`] up carry their length, so that a reader can skip
//! those it does not know.
//!
//! Invariant: a tag, once used, keeps its meaning. Source: docs/FORMAT.md, "Records".

pub(crate) const STRING: u8 = 1;
pub(crate) const WALK: u8 = 2;
pub(crate) const CLASS: u8 = 3;
pub(crate) const METHOD: u8 = 4;
pub(crate) const SITE: u8 = 5;
pub(crate) const EDGE: u8 = 6;
pub(crate) const CUT: u8 = 7;
pub(crate) const UNROLLED: u8 = 8;
pub(crate) const SEGMENT: u8 = 9;
pub(crate) const CUT_NUMBER: u8 = 10;
pub(crate) const NEW_VERSION: u8 = 11;
pub(crate) const SKIP: u8 = 12;
pub(crate) const THREAD: u8 = 13;
pub(crate) const NODE: u8 = 14;
pub(crate) const KIND: u8 = 15;
pub(crate) const EVENT: u8 = 16;
pub(crate) const VIA: u8 = 17;
pub(crate) const COUNTERS: u8 = 18;
pub(crate) const MISMATCH: u8 = 19;
pub(crate) const NOTE: u8 = 20;
pub(crate) const END: u8 = 21;
pub(crate) const UNLOADED: u8 = 22;
pub(crate) const SIZED: u8 = 64;
pub(crate) const PAPER_EDGE: u8 = 65;
pub(crate) const PAPER_CONTEXTS: u8 = 66;
pub(crate) const PAPER_LAST_VERSION: u8 = 67;
pub(crate) const TALLY: u8 = 68;
pub(crate) const PROGRAM_KIND: u8 = 69;
pub(crate) const THREAD_OF: u8 = 80;
pub(crate) const ORIGIN: u8 = 81;
pub(crate) const PROFILE: u8 = 82;
pub(crate) const PROFILE_CONTEXT: u8 = 83;
pub(crate) const NUMBERING: u8 = 84;
pub(crate) const LEARNED: u8 = 85;
pub(crate) const ROTATED: u8 = 90;
pub(crate) const KEYFRAME: u8 = 91;
pub(crate) const REFUSED: u8 = 92;
pub(crate) const SUMS_UNTIL: u8 = 93;
