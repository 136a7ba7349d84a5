//! What a profile is made of: sums, threads, origins, who held what, suspects of leaks, runs.
//!
//! Invariant: numbers in here are those of the profile's own tables. Source: docs/FORMAT.md, "What
//! lucce-decode prints" and "Origins".

use lucce_log::Header;

use crate::export::{StackId, Timeline};
use crate::{Counts, Look};

/// Waits for what was held in one context, as far as holders were looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The frames of the holder.
    pub stack: StackId,
    /// Number of the waits.
    pub count: u64,
    /// Sum of their values.
    pub value: i128,
}

pub(super) fn add_holding(all: &mut Vec<Holding>, more: &Holding) {
    match all.iter_mut().find(|holding| holding.stack == more.stack) {
        Some(known) => (known.count, known.value) = (known.count + more.count, known.value + more.value),
        None => all.push(more.clone()),
    }
}

/// A context that the leak detector suspects, or did.
#[derive(Clone, Debug)]
pub struct Leak {
    /// Of which run, [`runs`](super::Profile::runs).
    pub run: usize,
    /// The frames.
    pub stack: StackId,
    /// What the context is called, as in [`context`](super::Profile::context).
    pub context: String,
    /// The class with the most bytes, as people write it.
    pub class: Option<String>,
    /// All looks, the oldest first.
    pub history: Vec<Look>,
    /// Nanoseconds since the start of the run when it was withdrawn.
    pub withdrawn_ns: Option<u64>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProfileThread {
    /// Its name when it was first seen.
    pub name: String,
    /// `Thread.getId()`; 0 for threads without a name, which are one thread here.
    pub java_id: u64,
}

/// Where a thread or task came from: the nearest step, and those behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProfileOrigin {
    /// The nearest step.
    pub step: OriginStep,
    /// The origin that was in force there, [`origin`](super::Profile::origin).
    pub parent: Option<usize>,
    /// More steps follow that the log does not keep.
    pub cut: bool,
}

/// A step of an origin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OriginStep {
    /// `started at`, `submitted at`, or `came from` where the record is lost.
    pub verb: &'static str,
    /// Where; a mark where that is not known.
    pub stack: StackId,
}

/// The sum of all events of a kind in one context, with one class, thread and origin.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The kind, [`kinds`](super::Profile::kinds).
    pub kind: usize,
    /// The frames, with those of its origins below if that was asked for.
    pub stack: StackId,
    /// The frames of its thread alone: what the context is called after.
    pub own_stack: StackId,
    /// The same as it is shown.
    pub own_shown: StackId,
    /// The class, [`class`](super::Profile::class).
    pub class: Option<usize>,
    /// The thread, [`thread`](super::Profile::thread). Not known of tallies.
    pub thread: Option<usize>,
    /// Where the thread or its task came from, [`origin`](super::Profile::origin).
    pub origin: Option<usize>,
    /// Number of events.
    pub count: u64,
    /// Sum of their values; for sampled allocations of the bytes they stand for,
    /// [`Log::weight`](crate::Log::weight).
    pub value: i128,
    /// Nanoseconds since 1970 of the first event. A tally has the beginning of its run.
    pub begin_ns: u64,
    /// Nanoseconds since 1970 of the last event. A tally has the end of its run.
    pub end_ns: u64,
    /// When the events happened. Tallies have none, nor have logs that were not gathered for it.
    pub timeline: Option<Timeline>,
}

impl Sum {
    pub(super) fn add_times(&mut self, more: Option<Timeline>) {
        match (&mut self.timeline, more) {
            (Some(all), Some(more)) => all.merge(more),
            (none, Some(more)) => *none = Some(more),
            (_, None) => {}
        }
    }
}

/// A log that has been added.
#[derive(Clone, Debug)]
pub struct AddedLog {
    /// What wrote it; `None` if that is damaged.
    pub header: Option<Header>,
    /// Nanoseconds since 1970 at its beginning.
    pub begin_ns: u64,
    /// Nanoseconds since 1970 at its last event; its beginning if only tallies are known.
    pub end_ns: u64,
    /// Mean bytes between two sampled allocations; `None` if none were sampled.
    pub sampling_interval: Option<f64>,
    /// Old collections that the leak detector has seen; `None` where it was not asked for.
    pub old_collections: Option<u64>,
    /// Of the events that were added.
    pub counts: Counts,
}
