//! All records of counts, and what the log knows of them: the state that [`super`]'s procedures
//! work on.
//!
//! Invariant: a record is in the table and in the ledger, or in neither. Source:
//! docs/design/tallies.md.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::thread::Thread;

use super::classes::CountedClasses;
use super::layouts::Sizes;
use super::ledger::Ledger;
use crate::hook_tables::tallies::Table;
use crate::support::lock::Lock;

/// All records, and what the log knows of them.
pub struct Tallies {
    pub(super) table: Table,
    pub(super) classes: CountedClasses,
    pub(super) sizes: Sizes,
    pub(super) ledger: Lock<Ledger>,
    /// Held while sums are queued, so that the last ones are last: `ledger` is not, for threads of
    /// the program wait for that.
    pub(super) queueing: Lock<Queueing>,
    /// Set under the lock of `ledger` when the last sums are written.
    pub(super) ended: AtomicBool,
    pub(super) writer: OnceLock<Thread>,
}

/// The right to queue sums.
#[derive(Default)]
pub(super) struct Queueing;

impl Tallies {
    /// None yet. `None` if the address space does not allow the table.
    pub fn reserve() -> Option<Self> {
        Some(Self {
            table: Table::reserve()?,
            classes: CountedClasses::default(),
            sizes: Sizes::default(),
            ledger: Lock::default(),
            queueing: Lock::default(),
            ended: AtomicBool::new(false),
            writer: OnceLock::new(),
        })
    }
}
