//! Where the current version's segments start, by edge: the encoder's way from a caller's number to
//! the callee's.
//!
//! Invariant: segments of one lane are disjoint, and neighbours that continue each other are one:
//! the lane of a method's only caller is a single segment however often the caller has grown, and
//! so is its link.
//! Source: docs/design/words-and-numbering.md ("A new segment").

use std::collections::BTreeMap;

use lucce_words::EdgeId;

use crate::graph::range::Range;
use crate::link::Passage;
use crate::numbering::Numbering;

const PASSAGES: [Passage; 2] = [Passage::Plain, Passage::Restoring];

/// The segments of one edge with one passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lane {
    pub edge: EdgeId,
    pub passage: Passage,
}

/// Numbers `[lo, lo+len)` of the caller map to `[base, base+len)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub lo: u64,
    pub len: u64,
    pub base: u64,
}

/// What holds a caller's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Segment(Segment),
    /// Free from behind the segment before, up to the next one; 0 and no end where there is none.
    Gap {
        lo: u64,
        end: Option<u64>,
    },
}

#[derive(Default)]
pub(crate) struct Segments {
    lanes: BTreeMap<(Lane, u64), (u64, u64)>,
    cut_numbers: BTreeMap<EdgeId, u64>,
    /// How many segments the lanes of unrolled edges have.
    unrolled: BTreeMap<Lane, u64>,
    /// How many segments of the lanes were made for appended numbers of their callers, and are
    /// still there or have become part of others.
    grown: BTreeMap<Lane, u32>,
}

impl Segments {
    /// The segments of a fresh numbering.
    pub(crate) fn new(numbering: &Numbering) -> Self {
        let (cuts, lanes): (Vec<&Range>, Vec<&Range>) =
            numbering.iter().map(|(_, range)| range).partition(|range| range.cut);
        let lanes = lanes.into_iter().map(|range| {
            let lane = Lane { edge: range.edge, passage: Passage::of(range.restoring) };
            ((lane, range.lo), (range.len, range.base))
        });
        let cut_numbers = cuts.into_iter().map(|range| (range.edge, range.base));
        Self { lanes: lanes.collect(), cut_numbers: cut_numbers.collect(), ..Self::default() }
    }

    pub(crate) fn find(&self, lane: Lane, number: u64) -> Found {
        let before = self.lanes.range((lane, 0)..=(lane, number)).next_back();
        let lo = match before {
            Some((&(_, lo), &(len, base))) if number - lo < len => return Found::Segment(Segment { lo, len, base }),
            Some((&(_, lo), &(len, _))) => lo + len,
            None => 0,
        };
        let end = self.lanes.range((lane, number)..=(lane, u64::MAX)).next().map(|(&(_, lo), _)| lo);
        Found::Gap { lo, end }
    }

    /// Adds a segment. What it has become together with the neighbours that it continues.
    pub(crate) fn insert(&mut self, lane: Lane, segment: Segment) -> Segment {
        let Segment { mut lo, mut len, mut base } = segment;
        if let Some((&(_, before), &(reach, from))) = self.lanes.range((lane, 0)..(lane, lo)).next_back()
            && before + reach == lo
            && from + reach == base
        {
            (lo, len, base) = (before, reach + len, from);
        }
        if let Some(&(reach, from)) = self.lanes.get(&(lane, lo + len))
            && base + len == from
        {
            self.lanes.remove(&(lane, lo + len));
            len += reach;
        }
        self.lanes.insert((lane, lo), (len, base));
        Segment { lo, len, base }
    }

    /// How far the next segment of an unrolled edge's lane should reach to both sides: twice as far
    /// after each eight, so that a million contexts take some hundred segments. Most numbers a
    /// cycle gets so are never used.
    pub(crate) fn next_unrolled(&mut self, lane: Lane) -> u64 {
        let count = self.unrolled.entry(lane).or_default();
        *count += 1;
        1 << (*count / 8).min(30)
    }

    /// One more segment was made for appended numbers of the caller.
    pub(crate) fn grown(&mut self, lane: Lane) {
        *self.grown.entry(lane).or_default() += 1;
    }

    /// How many segments were made for appended numbers of the caller.
    pub(crate) fn fragments(&self, lane: Lane) -> u32 {
        self.grown.get(&lane).copied().unwrap_or(0)
    }

    pub(crate) fn cut_number(&self, edge: EdgeId) -> Option<u64> {
        self.cut_numbers.get(&edge).copied()
    }

    pub(crate) fn insert_cut(&mut self, edge: EdgeId, number: u64) {
        self.cut_numbers.insert(edge, number);
    }

    /// Forgets all of an edge. The numbers that it has given to the callee, each from the first to
    /// behind the last.
    pub(crate) fn forget(&mut self, edge: EdgeId) -> Vec<(u64, u64)> {
        let mut given = self.retire(edge, 0, u64::MAX);
        for passage in PASSAGES {
            self.unrolled.remove(&Lane { edge, passage });
            self.grown.remove(&Lane { edge, passage });
        }
        given.extend(self.cut_numbers.remove(&edge).map(|number| (number, number + 1)));
        given
    }

    /// Forgets where the caller's numbers `first..end` lead to through the edge. What they led to,
    /// as with [`Self::forget`].
    pub(crate) fn retire(&mut self, edge: EdgeId, first: u64, end: u64) -> Vec<(u64, u64)> {
        let mut led = Vec::new();
        for lane in PASSAGES.map(|passage| Lane { edge, passage }) {
            while let Some((&(_, lo), &(len, base))) = self.lanes.range((lane, 0)..(lane, end)).next_back()
                && lo + len > first
            {
                let (from, to) = (lo.max(first), (lo + len).min(end));
                self.lanes.remove(&(lane, lo));
                if let Some(count) = self.grown.get_mut(&lane) {
                    *count = count.saturating_sub(1);
                }
                if to < lo + len {
                    self.lanes.insert((lane, to), (lo + len - to, base + (to - lo)));
                }
                if lo < from {
                    self.lanes.insert((lane, lo), (from - lo, base));
                }
                led.push((base + (from - lo), base + (to - lo)));
            }
        }
        led
    }

    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }
}
