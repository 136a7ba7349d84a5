//! Ids of classes, methods and sites.
//!
//! Invariant: none is given twice.

use std::sync::atomic::{AtomicU32, Ordering};

use lucce_words::SiteId;

/// The next free ids.
pub(super) struct IdCounters {
    pub(super) class: AtomicU32,
    pub(super) method: AtomicU32,
    pub(super) site: AtomicU32,
}

impl Default for IdCounters {
    fn default() -> Self {
        Self { class: AtomicU32::new(1), method: AtomicU32::new(1), site: AtomicU32::new(SiteId::FIRST.0) }
    }
}

/// The next id, if it is not beyond the last.
pub(super) fn next(counter: &AtomicU32, last: u32) -> Option<u32> {
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| (id <= last).then_some(id + 1)).ok()
}
