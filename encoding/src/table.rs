//! The ranges of one version: what its numbering gave, and what was appended since.
//!
//! Invariant: ranges of one space of one method are disjoint and never change, so a number has one meaning (Lucce, Theorem 1).
//! Source: DESIGN sections 4 and 6.

use std::sync::Arc;

use imbl::OrdMap;
use lucce_words::{MethodId, Space};

use crate::numbering::{Numbering, Range};

/// Persistent: a clone is cheap and stays as it was.
#[derive(Clone, Default)]
pub(crate) struct Table {
    numbering: Arc<Numbering>,
    /// Keyed by method, space index and base.
    appended: OrdMap<(MethodId, u8, u64), Range>,
    /// The numbering could not be repeated from the changes at hand: only what was appended is known.
    unreadable: bool,
}

impl Table {
    pub(crate) fn new(numbering: Numbering) -> Self {
        Self { numbering: Arc::new(numbering), appended: OrdMap::new(), unreadable: false }
    }

    pub(crate) fn unreadable() -> Self {
        Self { unreadable: true, ..Self::default() }
    }

    pub(crate) fn is_readable(&self) -> bool {
        !self.unreadable
    }

    /// The range that holds `number`.
    pub(crate) fn find(&self, method: MethodId, space: Space, number: u64) -> Option<&Range> {
        let late = || {
            let (&(at, of, _), range) = self.appended.get_prev(&(method, space.index() as u8, number))?;
            (at == method && usize::from(of) == space.index() && range.contains(number)).then_some(range)
        };
        self.numbering.find(method, space, number).or_else(late)
    }

    /// Appends a range. Says no if it overlaps another one; the same range again is fine.
    pub(crate) fn append(&mut self, method: MethodId, space: Space, range: Range) -> bool {
        if let Some(known) = self.find(method, space, range.base) {
            return *known == range;
        }
        let last = range.base + (range.len - 1);
        let free = self.last_base(method, space, last) < Some(range.base);
        if free {
            self.appended.insert((method, space.index() as u8, range.base), range);
        }
        free
    }

    /// Ranges of one method and space, by ascending base.
    pub(crate) fn ranges(&self, method: MethodId, space: Space) -> impl Iterator<Item = &Range> {
        let key = |base| (method, space.index() as u8, base);
        let late = self.appended.range(key(0)..=key(u64::MAX)).map(|(_, range)| range);
        self.numbering.ranges(method, space).iter().chain(late)
    }

    /// The largest base up to `limit`.
    fn last_base(&self, method: MethodId, space: Space, limit: u64) -> Option<u64> {
        let early = self.numbering.ranges(method, space);
        let early = early[..early.partition_point(|range| range.base <= limit)].last().map(|range| range.base);
        let (&(at, of, base), _) = match self.appended.get_prev(&(method, space.index() as u8, limit)) {
            Some(entry) => entry,
            None => return early,
        };
        early.max((at == method && usize::from(of) == space.index()).then_some(base))
    }
}
