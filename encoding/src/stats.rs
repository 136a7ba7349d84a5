//! Counts of an encoder, for the log's summary.
//!
//! Invariant: counts describe; nothing is decided by them.

use lucce_words::Version;

/// Counts as of now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncoderStats {
    /// Ids of methods given, the root included.
    pub methods: usize,
    /// Sites, the root's included.
    pub sites: usize,
    /// Edges in all.
    pub edges: usize,
    /// Edges cut because they close a cycle (or because a constructor's edge does).
    pub cut_by_cycle: usize,
    /// Edges cut because the search for a cycle was given up.
    pub cut_by_bound: usize,
    /// Edges that ran out of numbers in the current version.
    pub cut_by_size: usize,
    /// How often an edge was cut for one version, since its caller had grown so often.
    pub cut_by_growth: u64,
    /// Edges on cycles of constructors.
    pub unrolled: usize,
    /// Versions so far.
    pub versions: u32,
    /// Segments of the current version.
    pub segments: usize,
    /// The most numbers one method has in its block, or appended, in any version.
    pub largest_number: u64,
    /// Words translated into a newer version.
    pub translations: u64,
    /// What the entries of numbered edges needed.
    pub made: Made,
}

/// What a numbering came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberingSize {
    /// The version that it made.
    pub version: Version,
    /// Methods that have numbers, the thread base included.
    pub methods: u64,
    /// Edges that have numbers.
    pub edges: u64,
    /// The most contexts of a method.
    pub largest: u64,
    /// Edges behind which numbers start anew: they close a cycle, or would bring too many.
    pub cut: u64,
}

/// What entries of numbered edges needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// A new segment.
    pub extended: u64,
    /// A segment that was there, for a link that was not.
    pub repeated: u64,
}
