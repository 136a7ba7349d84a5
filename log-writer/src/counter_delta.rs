//! The agent's counters in the log: each block has those that have changed.
//!
//! Invariant: a file that was cut has the counters of its last whole block.
//! Source: docs/FORMAT.md, "Records".

use lucce_log::Record;

use super::CounterSource;

/// The counters of what is dropped.
const DROPPED: [&str; 6] =
    ["events.dropped", "alloc.dropped", "exceptions.dropped", "locks.dropped", "cpu.dropped", "tally.dropped"];

/// The counters, and those that the present file has.
pub(super) struct CounterDelta {
    figures: CounterSource,
    told: Vec<(&'static str, u64)>,
}

impl CounterDelta {
    pub(super) fn new(figures: CounterSource) -> Self {
        Self { figures, told: Vec::new() }
    }

    /// What has changed since the last time in this file.
    pub(super) fn news(&mut self) -> Record {
        let figures = (self.figures)();
        let known = |index: usize| self.told.get(index).map_or(0, |&(_, value)| value);
        let changed = figures.iter().enumerate().filter(|&(index, &(_, value))| value != known(index));
        let values = changed.map(|(_, &(name, value))| (name.to_string(), value)).collect();
        self.told = figures;
        Record::Counters { values }
    }

    /// As long as any [`Self::refused`]: the disk has taken everything.
    pub(super) fn nothing_refused() -> Record {
        Record::Refused { ended: false, dropped: DROPPED.map(|name| (name.into(), 0)).into() }
    }

    /// What the run has not brought into its log so far, for the disk has just refused a block.
    pub(super) fn refused(&self, ended: bool) -> Record {
        let figures = (self.figures)();
        let value = |name: &str| figures.iter().find(|(known, _)| *known == name).map_or(0, |&(_, value)| value);
        Record::Refused { ended, dropped: DROPPED.map(|name| (name.into(), value(name))).into() }
    }

    /// Another file begins.
    pub(super) fn forget(&mut self) {
        self.told.clear();
    }
}
