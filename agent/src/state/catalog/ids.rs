//! Ids of classes, methods and sites.
//!
//! Invariant: none is given twice.

use std::sync::atomic::{AtomicU32, Ordering};

use lucce_classfile::HookOutcome;
use lucce_words::{MethodId, SiteId};

/// The next free ids.
pub(super) struct IdCounters {
    pub(super) class: AtomicU32,
    pub(super) method: AtomicU32,
    pub(super) site: AtomicU32,
    /// Above the classes, methods and sites whose ids were set aside.
    aside: [AtomicU32; 3],
    /// How many of those have not come.
    idle: [AtomicU32; 3],
}

impl Default for IdCounters {
    fn default() -> Self {
        let [class, method, site] = FIRST.map(AtomicU32::new);
        Self { class, method, site, aside: Default::default(), idle: Default::default() }
    }
}

/// The first class, method and site.
const FIRST: [u32; 3] = [1, 1, SiteId::FIRST.0];

impl IdCounters {
    fn all(&self) -> [&AtomicU32; 3] {
        [&self.class, &self.method, &self.site]
    }

    /// Gives none below these: they are for classes that may come with ids of their own. Nothing
    /// was given before.
    pub(super) fn set_aside(&self, ends: [u32; 3]) {
        for kind in 0..3 {
            let end = ends[kind].max(FIRST[kind]);
            self.all()[kind].store(end, Ordering::Relaxed);
            self.aside[kind].store(end, Ordering::Relaxed);
            self.idle[kind].store(end - FIRST[kind], Ordering::Relaxed);
        }
    }

    /// Is the class (0), method (1) or site (2) one of those that were set aside?
    pub(super) fn is_aside(&self, kind: usize, id: u32) -> bool {
        (FIRST[kind]..self.aside[kind].load(Ordering::Relaxed)).contains(&id)
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

/// The id of a method that got hooks, and whether it crosses the compile limit.
pub fn hooked(outcome: &HookOutcome) -> Option<(MethodId, bool)> {
    match outcome {
        HookOutcome::Hooked(id) => Some((*id, false)),
        HookOutcome::HookedHuge(id) => Some((*id, true)),
        _ => None,
    }
}
