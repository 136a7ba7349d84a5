//! What the disk did not take of a run: said in the first block of a file, which the writer
//! overwrites where it can add nothing.
//!
//! Invariant: a counter of dropped events is never smaller than what that block says. All such
//! counters only grow.
//! Source: docs/FORMAT.md, "Refused".

use std::collections::BTreeMap;

/// The disk refused a block of this file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The run ended, and the disk did not take the end of the log.
    pub ended: bool,
    /// Events that were dropped by then, in the whole run, for whatever reason.
    pub dropped: u64,
}

impl Refusal {
    /// What the block says, if the disk has refused any; its counters go to the others.
    pub(crate) fn of(ended: bool, said: Vec<(String, u64)>, counters: &mut BTreeMap<String, u64>) -> Option<Self> {
        let of = |name: &str| said.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count);
        let dropped = of("events.dropped").saturating_add(of("tally.dropped"));
        for (name, count) in said.into_iter().filter(|(_, count)| *count > 0) {
            let known = counters.entry(name).or_default();
            *known = count.max(*known);
        }
        (ended || dropped > 0).then_some(Self { ended, dropped })
    }
}
