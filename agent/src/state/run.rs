//! One run: its number and its log, how far it is, what it has counted, and who is inside it.
//!
//! Invariant: once a run is over no JVMTI call is made for it. It ends with the JVM, or before it
//! where no class was rewritten; then another run may follow in the same process.
//! Source: docs/design/late-start-and-kill.md; docs/design/attach.md ("The end").

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use lucce_log::Record;

use crate::state::switch::Switch;
use crate::support::counters::{Counters, count};
use crate::support::mark::Mark;
use crate::support::stays::Stays;
use crate::writer::Writer;

/// A run of the agent.
pub struct Run {
    /// Random number of the run.
    pub id: u64,
    /// The process that the run is of.
    pub pid: u32,
    /// When the run began.
    pub start: Instant,
    /// The log.
    pub writer: Arc<Writer>,
    /// Whether classes are rewritten and events taken.
    pub switch: Switch,
    /// Counters of the slow path.
    pub counters: Counters,
    /// Says to other copies of this library that this one is at work.
    pub mark: Mark,
    /// Who is in a callback, where the run may end before the JVM.
    pub stays: Stays,
    /// The run has ended: no JVMTI call any more.
    pub dead: AtomicBool,
}

impl Run {
    /// Has it ended, and left nothing behind? Not where classes had hooks.
    pub fn has_left(&self) -> bool {
        self.stays.is_closed()
    }

    /// Has the JVM stopped answering?
    pub fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Acquire)
    }

    /// Nanoseconds since the start.
    pub fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// A line of the log.
    pub fn note(&self, text: &str) {
        self.writer.queue(vec![Record::Note { text: text.into() }]);
    }

    /// A context cannot be told, perhaps of an event of that source. Once the kill switch is used
    /// none can, and none is missed.
    pub fn count_lost(&self, source: Option<&AtomicU64>) {
        if !self.switch.is_ended() {
            count(&self.counters.lost);
            source.map(count);
        }
    }
}
