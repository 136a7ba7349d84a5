//! The ranges of one version: what its numbering gave, and what was appended since.
//!
//! Invariant: ranges of one method are disjoint and never change but for numbers that nobody has any more, so a number has one meaning
//! (Lucce, Theorem 1).
//! Source: DESIGN sections 4 and 6.

use std::sync::Arc;

use imbl::OrdMap;
use lucce_words::{Block, EdgeId, MethodId};

use crate::numbering::{Numbering, Range};

/// Persistent: a clone is cheap and stays as it was.
#[derive(Clone, Default)]
pub(crate) struct Table {
    numbering: Arc<Numbering>,
    /// Keyed by method and base.
    appended: OrdMap<(MethodId, u64), Range>,
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

    /// The blocks of the methods that have one, by ascending id.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (MethodId, Block)> {
        self.numbering.blocks()
    }

    /// Forgets what `gone` says of a method and an edge into it. Numbers that stood for it are unknown from now on, and not given again.
    pub(crate) fn forget(&mut self, gone: impl Fn(MethodId, EdgeId) -> bool) {
        if let Some(rest) = self.numbering.without(&gone) {
            self.numbering = Arc::new(rest);
        }
        let late = self.appended.iter().filter(|((method, _), range)| gone(*method, range.edge));
        let late: Vec<_> = late.map(|(&key, _)| key).collect();
        for key in late {
            self.appended.remove(&key);
        }
    }

    /// Forgets what was appended about the numbers `first..end` of a method.
    pub(crate) fn spend(&mut self, method: MethodId, first: u64, end: u64) {
        while let Some((&key, &range)) = self.appended.get_prev(&(method, end - 1))
            && key.0 == method
            && range.base + range.len > first
        {
            let behind = range.base + range.len;
            self.appended.remove(&key);
            if end < behind {
                let rest = Range { base: end, len: behind - end, lo: range.lo + (end - range.base), ..range };
                self.appended.insert((method, end), rest);
            }
            if range.base < first {
                self.appended.insert(key, Range { len: first - range.base, ..range });
            }
        }
    }

    /// The range that holds `number`.
    pub(crate) fn find(&self, method: MethodId, number: u64) -> Option<&Range> {
        let late = || {
            let (&(at, _), range) = self.appended.get_prev(&(method, number))?;
            (at == method && range.contains(number)).then_some(range)
        };
        self.numbering.find(method, number).or_else(late)
    }

    /// Appends a range. Says no if it overlaps another one; the same range again is fine.
    pub(crate) fn append(&mut self, method: MethodId, range: Range) -> bool {
        if let Some(known) = self.find(method, range.base) {
            return *known == range;
        }
        let last = range.base + (range.len - 1);
        let free = self.last_base(method, last) < Some(range.base);
        if free {
            self.appended.insert((method, range.base), range);
        }
        free
    }

    /// Ranges of one method: those of its block, then the late ones, each by ascending base.
    pub(crate) fn ranges(&self, method: MethodId) -> impl Iterator<Item = &Range> {
        let late = self.appended.range((method, 0)..=(method, u64::MAX)).map(|(_, range)| range);
        self.numbering.ranges(method).iter().chain(late)
    }

    /// The largest base up to `limit`.
    fn last_base(&self, method: MethodId, limit: u64) -> Option<u64> {
        let early = self.numbering.ranges(method);
        let early = early[..early.partition_point(|range| range.base <= limit)].last().map(|range| range.base);
        let (&(at, base), _) = match self.appended.get_prev(&(method, limit)) {
            Some(entry) => entry,
            None => return early,
        };
        early.max((at == method).then_some(base))
    }
}
