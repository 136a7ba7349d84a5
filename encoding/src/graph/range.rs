//! A range of a method's numbers, and where they come from.
//!
//! Invariant: ranges of one method in one version are disjoint, so a number has one meaning (Lucce,
//! Theorem 1).
//! Source: Lucce section 2 (av); docs/FORMAT.md, "Segment".

use lucce_words::EdgeId;

/// The numbers `[base, base+len)` of one method and where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub base: u64,
    pub len: u64,
    pub lo: u64,
    pub edge: EdgeId,
    /// The activation restores.
    pub restoring: bool,
    /// A cut number: `len` 1, `restoring`; `lo` means nothing.
    pub cut: bool,
}

impl Range {
    pub(crate) fn cut(edge: EdgeId, number: u64) -> Self {
        Self { base: number, len: 1, lo: 0, edge, restoring: true, cut: true }
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        number.wrapping_sub(self.base) < self.len
    }

    /// Would it say the same of a number that both hold?
    pub(crate) fn says_as(&self, other: &Self) -> bool {
        let from = |range: &Self| (range.edge, range.restoring, range.cut);
        let moved = |range: &Self| range.base.wrapping_sub(range.lo);
        from(self) == from(other) && if self.cut { self.base == other.base } else { moved(self) == moved(other) }
    }

    /// One range of both, which say the same and leave no gap.
    pub(crate) fn with(&self, other: &Self) -> Self {
        let first = if self.base <= other.base { self } else { other };
        let end = (self.base + self.len).max(other.base + other.len);
        Self { len: end - first.base, ..*first }
    }
}
