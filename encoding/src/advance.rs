//! How one word becomes the next: look-up of segments, new segments, fresh numbers, cut numbers.
//!
//! Invariant: numbers are taken from a counter and never given back, so ranges of a space are disjoint.
//! Source: DESIGN section 4.

use lucce_words::{EdgeId, Lost, MethodId, Space, Word};

use crate::change::Change;
use crate::encoder::Encoder;
use crate::graph::EdgeState;
use crate::link::{Link, LinkKind, Passage};
use crate::numbering::{CUT_SPACE, NUMBER_LIMIT, SEGMENT_LIMIT, SINGLE_LIMIT};
use crate::segments::{Found, Lane, Segment};

/// The numbers of a space are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Encoder {
    /// The number of a cut edge at its callee in the current version.
    pub(crate) fn cut_number(&mut self, edge: EdgeId) -> Result<u64, Full> {
        if let Some(number) = self.segments.cut_number(edge) {
            return Ok(number);
        }
        let number = self.allot(self.callee(edge), CUT_SPACE, 1, NUMBER_LIMIT)?;
        self.segments.insert_cut(edge, number);
        self.change(Change::CutNumber { edge, version: self.version(), number });
        Ok(number)
    }

    /// The callee's word when `ctx`, of the current version, goes through the edge; appends a segment where there is none:
    /// for all callers' numbers not covered yet or, if that is too many and `single` allows it, for this one.
    pub(crate) fn advance(
        &mut self,
        ctx: Word,
        edge: EdgeId,
        passage: Passage,
        single: bool,
    ) -> Result<(Word, Segment), Full> {
        let lane = Lane { edge, passage, source: ctx.space() };
        let number = ctx.number();
        let segment = match self.segments.find(lane, number) {
            Found::Segment(segment) => segment,
            Found::Gap { lo, end } => {
                self.made += 1;
                let size = self.sizes[self.caller(edge).index()][lane.source.index()];
                let whole = match self.state(edge) {
                    EdgeState::Ordered => self.extend(lane, lo, end.unwrap_or(size) - lo, SEGMENT_LIMIT),
                    EdgeState::Cut => Err(Full),
                    EdgeState::Unrolled => {
                        // A method that calls itself may have the numbers this very segment gives among its sources.
                        let own = self.caller(edge) == self.callee(edge) && lane.source == lane.destination();
                        let end = end.unwrap_or(if own { NUMBER_LIMIT } else { size });
                        let reach = self.segments.next_unrolled(lane);
                        let lo = lo.max(number.saturating_sub(reach));
                        self.extend(lane, lo, end.min(number + reach) - lo, SEGMENT_LIMIT)
                    }
                };
                match whole {
                    Err(Full) if single => self.extend(lane, number, 1, SINGLE_LIMIT)?,
                    whole => whole?,
                }
            }
        };
        let number = segment.base + (number - segment.lo);
        Ok((Word::new(self.version(), lane.destination(), number), segment))
    }

    fn extend(&mut self, lane: Lane, lo: u64, len: u64, limit: u64) -> Result<Segment, Full> {
        let base = self.allot(self.callee(lane.edge), lane.destination(), len, limit)?;
        let segment = self.segments.insert(lane, Segment { lo, len, base });
        let (version, restoring) = (self.version(), lane.passage.restoring());
        self.change(Change::Segment { edge: lane.edge, version, source: lane.source, lo, len, restoring, base });
        Ok(segment)
    }

    /// Takes `len` fresh numbers of a method's space, if they stay below `limit`.
    fn allot(&mut self, method: MethodId, space: Space, len: u64, limit: u64) -> Result<u64, Full> {
        let size = &mut self.sizes[method.index()][space.index()];
        if *size + len > limit {
            return Err(Full);
        }
        let base = *size;
        *size += len;
        self.stats.largest_number = self.stats.largest_number.max(*size);
        Ok(base)
    }

    pub(crate) fn link(&self, edge: EdgeId, lo: u64, len: u64, av: u64, word: Word) -> Link {
        let kind = if word.restoring() { LinkKind::Restoring } else { LinkKind::Plain };
        Link { lo, len, av, kind, word, edge }
    }

    pub(crate) fn cut_link(&mut self, edge: EdgeId, lo: u64, len: u64) -> Result<Link, Lost> {
        let number = self.cut_number(edge).map_err(|Full| Lost::Overflow)?;
        let word = Word::new(self.version(), CUT_SPACE, number);
        Ok(Link { lo, len, av: word.0, kind: LinkKind::Cut, word, edge })
    }
}
