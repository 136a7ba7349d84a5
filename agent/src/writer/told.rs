//! The agent's counters in the log: each block has those that have changed.
//!
//! Invariant: a file that was cut has the counters of its last whole block.
//! Source: docs/FORMAT.md, "Records".

use lucce_log::Record;

use super::Figures;

/// The counters, and those that the present file has.
pub(super) struct Told {
    figures: Figures,
    told: Vec<(&'static str, u64)>,
}

impl Told {
    pub(super) fn new(figures: Figures) -> Self {
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

    /// Another file begins.
    pub(super) fn forget(&mut self) {
        self.told.clear();
    }
}
