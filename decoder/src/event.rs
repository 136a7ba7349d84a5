//! An event as it is kept: fixed size, with what names its context apart from what happened.
//!
//! Invariant: equal [`Place`]s have equal traces.
//! Source: docs/FORMAT.md, "Event".

use lucce_log::{Ground, OriginKind};
use lucce_words::{NodeId, OriginId, SiteId, Word};

/// A list of walked frames; 0 is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WalkId(pub u32);

/// Where an event happened: all that its trace depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Word of the innermost instrumented activation.
    pub word: Word,
    /// The instruction it stood at.
    pub site: SiteId,
    /// Captured context below the topmost cut entry, for a chained word.
    pub chain: NodeId,
    /// A captured context in place of word and site; 0 for none.
    pub node: NodeId,
    /// Uninstrumented frames on top.
    pub walked: WalkId,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the file, from 0.
    pub seq: u64,
    /// Nanoseconds since the start of the run.
    pub time_ns: u64,
    /// The log's number of its thread, [`Log::thread`](crate::Log::thread).
    pub thread: u32,
    /// The log's number of its kind, [`Log::kind`](crate::Log::kind).
    pub kind: u32,
    /// Its value: bytes for allocations, the program's own for others.
    pub value: i64,
    /// Where it happened.
    pub place: Place,
    /// Number of the allocated class, [`Log::allocated`](crate::Log::allocated).
    pub class: Option<u32>,
}

/// A thread of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name when it was first seen.
    pub name: String,
    /// `Thread.getId()`.
    pub java_id: u64,
    /// Where it, or the task that it ran, came from: [`Contexts::origins`](crate::Contexts::origins).
    pub origin: OriginId,
}

/// Where a thread or task came from, as the log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The context.
    pub node: NodeId,
    /// What happened there.
    pub kind: OriginKind,
    /// Why that is the node.
    pub ground: Ground,
    /// The origin that was in force there; 0 for none.
    pub parent: OriginId,
    /// There were more than the log keeps.
    pub cut: bool,
}
