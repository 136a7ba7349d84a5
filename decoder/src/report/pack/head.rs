//! What the page is given in JSON: all but columns.
//!
//! Invariant: numbers that JavaScript may not count exactly are texts. Source:
//! `decoder/report/src/data.ts`, which reads the same fields.

use serde::Serialize;

/// All but columns, in JSON.
#[derive(Debug, Serialize)]
pub(super) struct Head {
    pub(super) writer: &'static str,
    pub(super) per: Option<Calls>,
    pub(super) sides: Vec<Side>,
    pub(super) kinds: Vec<HeadKind>,
    /// Old collections that a leak detector has seen; `None` where none was asked for.
    pub(super) collections: Option<u64>,
    pub(super) leaks: Vec<Leak>,
    pub(super) strings: Vec<String>,
    pub(super) frames: usize,
    pub(super) nodes: usize,
    pub(super) sums: usize,
    /// A bin of time has `2^shift` nanoseconds.
    pub(super) shift: u32,
}

/// What sums are divided by at first.
#[derive(Debug, Serialize)]
pub(super) struct Calls {
    pub(super) glob: String,
    /// Of each side.
    pub(super) calls: Vec<String>,
}

/// A run, or several that are one.
#[derive(Debug, Serialize)]
pub(super) struct Side {
    pub(super) title: String,
    pub(super) runs: Vec<PackedRun>,
    /// Nanoseconds from its first bin's beginning to its own.
    pub(super) offset: String,
    /// Nanoseconds to its last event.
    pub(super) length: String,
    pub(super) bins: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct PackedRun {
    pub(super) agent: String,
    pub(super) jvm: String,
    pub(super) pid: u32,
    pub(super) host: String,
    pub(super) options: String,
    /// Nanoseconds since 1970.
    pub(super) begin: String,
}

#[derive(Debug, Serialize)]
pub(super) struct HeadKind {
    pub(super) label: String,
    pub(super) name: String,
    pub(super) agents: bool,
    pub(super) unit: &'static str,
    /// Bytes between samples of what is estimated.
    pub(super) interval: Option<f64>,
    /// Has each side recorded it? Otherwise that side has nothing to compare.
    pub(super) recorded: Vec<bool>,
    /// Its sums are larger than JavaScript's numbers count.
    pub(super) big: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Leak {
    pub(super) context: String,
    pub(super) class: String,
    pub(super) node: u32,
    pub(super) withdrawn: Option<String>,
    /// Of each look: nanoseconds since the start of the run, old collections, bytes, objects,
    /// generations, growth of each collection.
    pub(super) history: Vec<[String; 6]>,
}
