//! Threads that wait for locks. Invariant: a thread is here from the moment it is about to wait
//! until its wait is over.

use std::sync::OnceLock;
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::held::Holder;
use super::owner::Synchronizers;
use crate::support::lock::Lock;

/// Threads that wait, by their Java ids: a virtual thread may go on on another carrier.
#[derive(Default)]
pub struct Waiting {
    /// For a monitor.
    pub(super) entering: Lock<FxHashMap<u64, Wait>>,
    /// In `LockSupport.park`: the holders that were looked for.
    pub(super) parking: Lock<FxHashMap<u64, Holder>>,
    pub(super) synchronizers: OnceLock<Option<Synchronizers>>,
}

/// Since when a thread waits, and who held what it waits for, if that was looked for.
pub(super) struct Wait {
    pub(super) since: Instant,
    pub(super) holder: Option<Holder>,
}
