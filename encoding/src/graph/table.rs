//! The ranges of one version: what its numbering gave, and what was appended since.
//!
//! Invariant: ranges of one method are disjoint, and neighbours that continue each other are one.
//! What they say of a number never changes, but for numbers that nobody has any more, so a number
//! has one meaning (Lucce, Theorem 1).
//! Source: docs/design/words-and-numbering.md ("Numbering").

use std::sync::Arc;

use imbl::OrdMap;
use lucce_words::{EdgeId, MethodId};

use crate::graph::range::Range;
use crate::numbering::Numbering;

/// Persistent: a clone is cheap and stays as it was.
#[derive(Clone, Default)]
pub(crate) struct Table {
    numbering: Arc<Numbering>,
    /// Keyed by method and base.
    appended: OrdMap<(MethodId, u64), Range>,
    /// The numbering could not be repeated from the changes at hand: only what was appended is
    /// known.
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

    /// Forgets what `gone` says of a method and an edge into it. Numbers that stood for it are
    /// unknown from now on, and not given again.
    pub(crate) fn forget(&mut self, gone: impl Fn(MethodId, EdgeId) -> bool) {
        if let Some(rest) = self.numbering.without(&gone) {
            self.numbering = Arc::new(rest);
        }
        let appended = self.appended.iter().filter(|((method, _), range)| gone(*method, range.edge));
        let appended: Vec<_> = appended.map(|(&key, _)| key).collect();
        for key in appended {
            self.appended.remove(&key);
        }
    }

    /// Forgets what was appended about the numbers `first..end` of a method.
    pub(crate) fn retire(&mut self, method: MethodId, first: u64, end: u64) {
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
        let appended = || {
            let (&(at, _), range) = self.appended.get_prev(&(method, number))?;
            (at == method && range.contains(number)).then_some(range)
        };
        self.numbering.find(method, number).or_else(appended)
    }

    /// Appends a range; those that continue each other become one. Says no if it overlaps one that
    /// says otherwise; what is known already is fine.
    pub(crate) fn append(&mut self, method: MethodId, range: Range) -> bool {
        if let Some(known) = self.numbering.find(method, range.base) {
            return *known == range;
        }
        let (first, last) = (range.base, range.base + (range.len - 1));
        let early = self.numbering.ranges(method);
        let below = early[..early.partition_point(|other| other.base <= last)].last();
        if below.is_some_and(|other| other.base >= first) {
            return false;
        }
        // Those that overlap it or stand beside it.
        let around = self.appended.range((method, 0)..=(method, last.saturating_add(1))).rev();
        let around = around.map(|(_, other)| *other).take_while(|other| other.base + other.len >= first);
        let (alike, others): (Vec<Range>, Vec<Range>) = around.partition(|other| other.says_as(&range));
        if others.iter().any(|other| other.base <= last && first < other.base + other.len) {
            return false;
        }
        let mut whole = range;
        for other in alike {
            self.appended.remove(&(method, other.base));
            whole = whole.with(&other);
        }
        self.appended.insert((method, whole.base), whole);
        true
    }

    /// Ranges of one method: those of its block, then the appended ones, each by ascending base.
    pub(crate) fn ranges(&self, method: MethodId) -> impl Iterator<Item = &Range> {
        let appended = self.appended.range((method, 0)..=(method, u64::MAX)).map(|(_, range)| range);
        self.numbering.ranges(method).iter().chain(appended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METHOD: MethodId = MethodId(3);

    /// Numbers `base..base+len`, which come through an edge from those `far` below them.
    fn range(edge: u32, base: u64, len: u64, far: u64) -> Range {
        Range { base, len, lo: base - far, edge: EdgeId(edge), restoring: false, cut: false }
    }

    fn known(table: &Table) -> Vec<(u64, u64)> {
        table.ranges(METHOD).map(|range| (range.base, range.len)).collect()
    }

    #[test]
    fn neighbours_that_continue_each_other_are_one() {
        let mut table = Table::default();
        for (base, len) in [(1000, 4), (1010, 2), (1004, 6)] {
            assert!(table.append(METHOD, range(1, base, len, 500)));
        }
        assert!(table.append(METHOD, range(1, 1012, 3, 600)), "beside them, from elsewhere");
        assert!(table.append(METHOD, range(2, 990, 10, 500)), "beside them, through another edge");
        assert!(table.append(METHOD, Range::cut(EdgeId(1), 1015)) && table.append(METHOD, Range::cut(EdgeId(1), 1016)));
        assert_eq!(known(&table), [(990, 10), (1000, 12), (1012, 3), (1015, 1), (1016, 1)]);
        assert_eq!(table.find(METHOD, 1011).map(|range| range.lo), Some(500));
    }

    #[test]
    fn what_is_known_may_be_said_again_in_other_pieces_and_nothing_else() {
        let mut table = Table::default();
        for (base, len) in [(1000, 4), (1008, 4), (1002, 2), (998, 16), (1003, 3)] {
            assert!(table.append(METHOD, range(1, base, len, 500)), "{base}");
        }
        assert_eq!(known(&table), [(998, 16)]);
        for other in
            [range(2, 1000, 4, 500), range(1, 990, 9, 400), range(1, 1013, 9, 501), Range::cut(EdgeId(1), 1005)]
        {
            assert!(!table.append(METHOD, other), "{other:?}");
        }
        assert!(!table.append(METHOD, range(2, 900, 500, 5)), "around them");
        assert_eq!(known(&table), [(998, 16)]);
    }
}
