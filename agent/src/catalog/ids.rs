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
    /// Classes, methods and sites whose ids were set aside, but for those that have come.
    idle: [AtomicU32; 3],
}

impl Default for IdCounters {
    fn default() -> Self {
        let [class, method, site] = FIRST.map(AtomicU32::new);
        Self { class, method, site, idle: Default::default() }
    }
}

/// The first class, method and site.
const FIRST: [u32; 3] = [1, 1, SiteId::FIRST.0];

impl IdCounters {
    fn all(&self) -> [&AtomicU32; 3] {
        [&self.class, &self.method, &self.site]
    }

    /// Gives none below these: they are for classes that may come with ids of their own. Nothing was given before.
    pub(super) fn set_aside(&self, ends: [u32; 3]) {
        for (((next, idle), first), end) in self.all().into_iter().zip(&self.idle).zip(FIRST).zip(ends) {
            let end = end.max(first);
            next.store(end, Ordering::Relaxed);
            idle.store(end - first, Ordering::Relaxed);
        }
    }

    /// So many classes, methods and sites have come whose ids were set aside.
    pub(super) fn come(&self, numbers: [usize; 3]) {
        for (idle, number) in self.idle.iter().zip(numbers) {
            idle.fetch_sub(number as u32, Ordering::Relaxed);
        }
    }

    /// Classes, methods and sites that have an id.
    pub(super) fn counts(&self) -> [u32; 3] {
        let given = [0, 1, 2].map(|kind| self.all()[kind].load(Ordering::Relaxed) - FIRST[kind]);
        [0, 1, 2].map(|kind| given[kind].saturating_sub(self.idle[kind].load(Ordering::Relaxed)))
    }
}

/// The next id, if it is not beyond the last.
pub(super) fn next(counter: &AtomicU32, last: u32) -> Option<u32> {
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| (id <= last).then_some(id + 1)).ok()
}
