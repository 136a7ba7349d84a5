//! How one word becomes the next: look-up of segments, new segments, fresh numbers, cut numbers.
//!
//! Invariant: appended numbers are taken from a counter and never given back, so ranges of a method
//! are disjoint.
//! Source: docs/design/words-and-numbering.md ("Numbering").

use lucce_words::{APPENDED, BLOCK, EdgeId, Lost, MethodId, NUMBER_LIMIT, Value, Word};

use crate::change::Change;
use crate::encoder::Encoder;
use crate::encoder::segments::{Found, Lane, Segment};
use crate::graph::edge::EdgeState;
use crate::link::{Link, LinkKind, Passage};
use crate::numbering::{SEGMENT_LIMIT, SINGLE_LIMIT};

/// The appended numbers of a method are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// The numbers of a method in the current version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// How many the numbering gave: the length of its block.
    pub block: u64,
    /// The end of the appended ones.
    pub appended: u64,
}

impl Room {
    /// A method that was not numbered.
    pub(crate) const EMPTY: Self = Self { block: 0, appended: APPENDED };
    /// The root: it has no callers, and so one number in every version.
    pub(crate) const ROOT: Self = Self { block: 1, appended: APPENDED };

    /// Was this number given?
    pub(crate) fn has(&self, number: u64) -> bool {
        number.wrapping_sub(BLOCK) < self.block || (APPENDED..self.appended).contains(&number)
    }

    /// The first number of the block or of the appended ones, whichever holds `number`, and the end
    /// of them.
    fn around(&self, number: u64) -> (u64, u64) {
        if number < APPENDED { (BLOCK, BLOCK + self.block) } else { (APPENDED, self.appended) }
    }

    /// How many numbers the larger part has.
    pub(crate) fn most(&self) -> u64 {
        self.block.max(self.appended - APPENDED)
    }
}

/// How many segments an edge may get for its caller's appended numbers before it is cut for this
/// version. Each is a slow entry, and so is each that follows from it further up. What restores is
/// pushed anyway, so that a cut costs its entries nothing more.
fn most_fragments(passage: Passage) -> u32 {
    match passage {
        Passage::Plain => 8,
        Passage::Restoring => 2,
    }
}

impl Encoder {
    /// The number of a spilled edge at its callee in the current version.
    pub(crate) fn cut_number(&mut self, edge: EdgeId) -> Result<u64, Full> {
        if let Some(number) = self.segments.cut_number(edge) {
            return Ok(number);
        }
        let number = self.allot(self.callee(edge), 1, NUMBER_LIMIT)?;
        self.segments.insert_cut(edge, number);
        self.change(Change::CutNumber { edge, version: self.version(), number });
        Ok(number)
    }

    /// The callee's word when `ctx`, of the current version, goes through the edge; appends a
    /// segment where there is none: for all callers' numbers not covered yet or, if that is too
    /// many and `single` allows it, for this one.
    pub(crate) fn advance(
        &mut self,
        ctx: Word,
        edge: EdgeId,
        passage: Passage,
        single: bool,
    ) -> Result<(Word, Segment), Full> {
        let lane = Lane { edge, passage };
        let number = ctx.number();
        let segment = match self.segments.find(lane, number) {
            Found::Segment(segment) => {
                self.stats.made.repeated += 1;
                segment
            }
            Found::Gap { lo, end } => {
                self.made += 1;
                self.stats.made.extended += 1;
                let caller = self.caller(edge);
                let (mut first, mut last) = self.rooms[caller.index()].around(number);
                if number >= APPENDED {
                    let (below, above) = self.retired.between(caller, number);
                    (first, last) = (first.max(below), last.min(above));
                }
                let (lo, next) = (lo.max(first), end.unwrap_or(u64::MAX));
                let end = next.min(last);
                let whole = match self.state(edge) {
                    EdgeState::Ordered => self.extend(lane, lo, end - lo, SEGMENT_LIMIT),
                    EdgeState::Cut => Err(Full),
                    EdgeState::Unrolled => {
                        // A method that calls itself may have the numbers this very segment gives
                        // among its sources.
                        let own = caller == self.callee(edge) && number >= APPENDED;
                        let end = if own { next.min(NUMBER_LIMIT) } else { end };
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
        Ok((Word::new(self.version(), ctx.chained(), number), segment))
    }

    /// Would the number need one more segment of an edge that has had many for its caller's
    /// appended numbers?
    pub(crate) fn is_fragmented(&self, lane: Lane, number: u64) -> bool {
        number >= APPENDED
            && self.state(lane.edge) == EdgeState::Ordered
            && self.segments.fragments(lane) >= most_fragments(lane.passage)
            && matches!(self.segments.find(lane, number), Found::Gap { .. })
    }

    fn extend(&mut self, lane: Lane, lo: u64, len: u64, limit: u64) -> Result<Segment, Full> {
        let base = self.allot(self.callee(lane.edge), len, limit)?;
        let segment = self.segments.insert(lane, Segment { lo, len, base });
        if lo >= APPENDED {
            self.segments.grown(lane);
        }
        let (version, restoring) = (self.version(), lane.passage.restoring());
        self.change(Change::Segment { edge: lane.edge, version, lo, len, restoring, base });
        Ok(segment)
    }

    /// Takes `len` appended numbers of a method, if they stay below `limit`.
    fn allot(&mut self, method: MethodId, len: u64, limit: u64) -> Result<u64, Full> {
        let room = &mut self.rooms[method.index()];
        if room.appended + len > limit {
            return Err(Full);
        }
        let base = room.appended;
        room.appended += len;
        self.stats.largest_number = self.stats.largest_number.max(room.most());
        Ok(base)
    }

    /// The link of a whole segment, at `ctx` of the current version.
    pub(crate) fn segment_link(&self, edge: EdgeId, passage: Passage, ctx: Word, word: Word, segment: Segment) -> Link {
        let lo = Word::new(self.version(), false, segment.lo).0;
        let whole = (segment.lo, segment.len) == (BLOCK, self.rooms[self.caller(edge).index()].block);
        let value = (whole && segment.base < APPENDED && passage == Passage::Plain)
            .then(|| Value::new(self.version(), self.callee(edge), segment.base - segment.lo));
        Link { value: value.flatten(), ..self.link(edge, passage, (lo, segment.len << 1), ctx, word) }
    }

    /// The link of `ctx` alone, or of the `range` of words from first to length.
    pub(crate) fn link(&self, edge: EdgeId, passage: Passage, (lo, len): (u64, u64), ctx: Word, word: Word) -> Link {
        let kind = if passage.restoring() { LinkKind::Restoring } else { LinkKind::Plain };
        Link { lo, len, av: word.0.wrapping_sub(ctx.0), kind, word, edge, value: None }
    }

    pub(crate) fn cut_link(&mut self, edge: EdgeId, lo: u64, len: u64) -> Result<Link, Lost> {
        let number = self.cut_number(edge).map_err(|Full| Lost::Overflow)?;
        let word = Word::new(self.version(), true, number);
        Ok(Link { lo, len, av: word.0, kind: LinkKind::Cut, word, edge, value: None })
    }
}
