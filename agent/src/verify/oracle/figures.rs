//! What the oracle has compared.
//!
//! Invariant: each comparison is in one of these counts, a disagreement too. Source:
//! docs/design/verifier.md.

use std::sync::atomic::AtomicU64;

use rustc_hash::FxHashSet;

use super::ticks::VerifyTicks;
use crate::support::lock::Lock;

/// What was compared.
#[derive(Default)]
pub struct Oracle {
    /// Comparisons.
    pub checks: AtomicU64,
    /// Those of them that ended at an activation of a deep stack which was confirmed before.
    pub incremental: AtomicU64,
    /// Comparisons that disagreed.
    pub mismatches: AtomicU64,
    /// Checks that were due while the JVM gave no stack to compare with.
    pub unanswered: AtomicU64,
    /// Comparisons of a LOST word.
    pub lost: AtomicU64,
    /// Entries with a hashed word that means nothing: what is asked for there is walked.
    pub unknown: AtomicU64,
    /// With `verify=<time>`: when the next check is due.
    pub ticks: VerifyTicks,
    pub(super) distinct: Lock<FxHashSet<u64>>,
}

impl Oracle {
    /// Distinct contexts compared. Of stacks deeper than [`super::deep::WHOLE`] only those count as
    /// distinct that differ in depth or in the two topmost activations: no more than there are.
    pub fn distinct(&self) -> usize {
        self.distinct.lock().len()
    }

    /// The run is over, and they were counted.
    pub fn clear(&self) {
        *self.distinct.lock() = FxHashSet::default();
    }
}
