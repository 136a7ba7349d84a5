//! What goes through the queue to the writer thread, and what a block carries of it.
//!
//! Invariant: a message is written in the order in which it was queued. Source:
//! docs/design/log-files.md ("Write-ahead").

use crossbeam_channel::Sender;
use lucce_log::Record;

use super::host::{SOURCES, SourceId};

/// What the writer thread can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriterRequest {
    Flush,
    Rotate,
}

/// Numbers of events by source.
pub(super) type Counts = [u32; SOURCES];

/// What a block carries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub(super) events: Counts,
    /// Events that its sums stand for.
    pub(super) counted: u64,
}

/// What the writer thread gets.
pub(super) enum Message {
    Records(Vec<Record>),
    /// Sums of tallies.
    Sums(Vec<Record>),
    Event(Record, SourceId),
    /// Two events of one source, which stand behind each other in the log.
    Pair(Box<[Record; 2]>, SourceId),
    Ask(WriterRequest, Sender<Result<(), String>>),
    /// The last records of the run.
    Stop(Vec<Record>),
}
