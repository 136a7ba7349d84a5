//! Decides how edges are numbered, and gives every entry its word.
//!
//! Invariant: every decision is a [`Change`] performed on the graph before a word that needs it is
//! handed out (write-ahead).
//! Source: docs/design/words-and-numbering.md ("Numbering"), docs/design/link-tables.md,
//! docs/design/log-files.md ("Write-ahead").
//!
//! Costs: an entry takes a bounded search and a few tree look-ups; translation takes one look-up
//! for each frame not translated before; only [`Encoder::renumber`] walks the whole graph.

pub(crate) mod advance;
pub(crate) mod placement;
pub(crate) mod segments;
pub(crate) mod translate;
pub(crate) mod unload;

use std::collections::{BTreeMap, BTreeSet};

use lucce_words::{APPENDED, EdgeId, Lost, MethodId, NUMBER_LIMIT, Paged, SiteId, Version, Word};

use crate::change::Change;
use crate::encoder::advance::{Full, Room};
use crate::encoder::segments::{Lane, Segments};
use crate::encoder::translate::Translations;
use crate::graph::Graph;
use crate::graph::edge::EdgeState;
use crate::graph::retired::Retired;
use crate::graph::table::Table;
use crate::link::{EncodedStep, Link, LinkKind, Passage};
use crate::numbering::order::Order;
use crate::snapshot::{Snapshot, root_word};
use crate::stats::{EncoderStats, NumberingSize};

/// New links that make the first version worth renumbering; doubled with every version.
const FIRST_LIMIT: u64 = 1024;
/// Late finds that make the first version by strain worth its price, some ten milliseconds; doubled
/// with each.
const FIRST_STRAIN: u64 = 1 << 21;
/// New links without which a new version is no better than the old.
const LEAST_MADE: u64 = 16;

/// The encoder. One for a run; its owner serialises access.
pub struct Encoder {
    pub(crate) graph: Graph,
    pub(crate) translations: Translations,
    pub(crate) edges: BTreeMap<(SiteId, MethodId), EdgeId>,
    pub(crate) order: Order,
    /// Of the current version.
    pub(crate) rooms: Paged<Room>,
    pub(crate) segments: Segments,
    pub(crate) retired: Retired,
    pub(crate) cut_by_size: BTreeSet<EdgeId>,
    /// Cut in the current version alone, since their callers have grown so often.
    pub(crate) cut_by_growth: BTreeSet<EdgeId>,
    /// Links of the current version that needed something new.
    pub(crate) made: u64,
    /// Entries of the current version that found their links late, and how many make a new version.
    strain: (u64, u64),
    changes: Vec<Change>,
    pub(crate) stats: EncoderStats,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// The root alone, in version 1.
    pub fn new() -> Self {
        let mut rooms = Paged::new(Room::EMPTY);
        rooms[MethodId::ROOT.index()] = Room::ROOT;
        Self {
            graph: Graph::new(),
            translations: Translations::default(),
            edges: BTreeMap::new(),
            order: Order::new(),
            rooms,
            segments: Segments::default(),
            retired: Retired::default(),
            cut_by_size: BTreeSet::new(),
            cut_by_growth: BTreeSet::new(),
            made: 0,
            strain: (0, FIRST_STRAIN),
            changes: Vec::new(),
            stats: EncoderStats { largest_number: 1, ..EncoderStats::default() },
        }
    }

    /// The current version.
    pub fn version(&self) -> Version {
        self.graph.version()
    }

    /// The word of a thread's base.
    pub fn root_word(&self) -> Word {
        root_word(self.version())
    }

    /// Makes a method known, in any order of ids; one from [`MethodId::LIMIT`] up is not taken.
    pub fn add_method(&mut self, method: MethodId, constructor: bool) {
        if method != MethodId::ROOT {
            let _ = self.graph.add_method(method, constructor);
        }
    }

    /// Makes a site of a method known.
    pub fn add_site(&mut self, site: SiteId, method: MethodId) {
        if site != SiteId::ROOT {
            self.graph.add_site(site, method);
        }
    }

    /// Has the call been seen?
    pub fn has_edge(&self, site: SiteId, callee: MethodId) -> bool {
        self.edges.contains_key(&(site, callee))
    }

    /// An activation with word `ctx` enters `callee` at `site`, which its method owns.
    ///
    /// A word of an older version is translated; the link is then for exactly that word. For
    /// [`LinkKind::Cut`] the caller of this function must push a cut entry (`ctx`, `site`);
    /// constructors never get one.
    ///
    /// # Errors
    /// The context is lost: `ctx` is LOST, NONE or no word of that method, an id is unknown, or a
    /// constructor's numbers ran out.
    pub fn enter(&mut self, ctx: Word, site: SiteId, callee: MethodId, passage: Passage) -> Result<Link, Lost> {
        self.enter_as(ctx, site, callee, passage, false)
    }

    /// [`Encoder::enter`]; with `whole` the edge is numbered even if it is cut, as all edges into
    /// constructors are.
    fn enter_as(
        &mut self,
        ctx: Word,
        site: SiteId,
        callee: MethodId,
        passage: Passage,
        whole: bool,
    ) -> Result<Link, Lost> {
        if ctx.version() < Version::FIRST {
            return Err(ctx.lost_reason().unwrap_or(Lost::Hook));
        }
        let caller = self.graph.site_method(site).ok_or(Lost::Hook)?;
        if callee == MethodId::ROOT || !self.graph.is_method(callee) || !self.graph.is_method(caller) {
            return Err(Lost::Hook);
        }
        let edge = self.edge(caller, site, callee);
        let whole = whole || self.graph.is_constructor(callee);
        // Cut for good, or by the numbering of this version.
        let cut = self.state(edge) == EdgeState::Cut || self.segments.cut_number(edge).is_some();
        if cut && !whole {
            // What is cut by growth is not to stay so where it is entered often: such a link counts
            // as strain.
            let every = if self.cut_by_growth.contains(&edge) { u64::MAX - 1 } else { u64::MAX };
            return self.cut_link(edge, 0, every);
        }
        let version = self.version();
        if ctx.version() != version {
            let translated = self.translate(caller, ctx).map_err(|_| Lost::Hook)?;
            let word = translated.and_then(|word| Ok(self.advance(word, edge, passage, true)?.0));
            self.made += 1;
            return match word {
                Ok(word) => Ok(self.link(edge, passage, (ctx.0, 1), ctx, word)),
                Err(Full) if whole => Err(Lost::Overflow),
                Err(Full) => self.cut_link(edge, ctx.0, 1),
            };
        }
        if !self.rooms[caller.index()].has(ctx.number()) {
            return Err(Lost::Hook);
        }
        if !whole && self.is_fragmented(Lane { edge, passage }, ctx.number()) {
            self.cut_by_growth.insert(edge);
            self.stats.cut_by_growth += 1;
            self.made += 1;
            return self.cut_link(edge, 0, u64::MAX - 1);
        }
        match self.advance(ctx, edge, passage, whole) {
            Ok((word, segment)) => Ok(self.segment_link(edge, passage, ctx, word, segment)),
            Err(Full) if whole => Err(Lost::Overflow),
            Err(Full) => {
                if self.cut_by_size.insert(edge) {
                    self.made += 1;
                }
                // For this version only: the next one may have room.
                let last = Word::new(version, true, NUMBER_LIMIT - 1).0;
                self.cut_link(edge, ctx.0, last - ctx.0 + 1)
            }
        }
    }

    /// Encodes a path of plain steps upwards from `start`, the word of an activation of the method
    /// that owns the first site.
    ///
    /// # Errors
    /// As [`Encoder::enter`], and where a step's site is not in the method entered by the step
    /// before.
    pub fn encode_path(&mut self, start: Word, steps: &[(SiteId, MethodId)]) -> Result<Vec<EncodedStep>, Lost> {
        self.encode(start, steps, false)
    }

    /// As [`Encoder::encode_path`], for an activation that cannot push (a constructor found by a
    /// walk): no step is cut. Each path through an edge that is cut takes a number of its own.
    ///
    /// # Errors
    /// As [`Encoder::encode_path`], and when the numbers run out.
    pub fn encode_whole_path(&mut self, start: Word, steps: &[(SiteId, MethodId)]) -> Result<Vec<EncodedStep>, Lost> {
        self.encode(start, steps, true)
    }

    fn encode(&mut self, start: Word, steps: &[(SiteId, MethodId)], whole: bool) -> Result<Vec<EncodedStep>, Lost> {
        let mut path = Vec::with_capacity(steps.len());
        let (mut ctx, mut within) = (start, None);
        for &(site, callee) in steps {
            if within.is_some_and(|method| self.graph.site_method(site) != Some(method)) {
                return Err(Lost::Hook);
            }
            let link = self.enter_as(ctx, site, callee, Passage::Plain, whole)?;
            path.push(EncodedStep { site, callee, word: link.word, cut: link.kind == LinkKind::Cut });
            (ctx, within) = (link.word, Some(callee));
        }
        Ok(path)
    }

    /// Is the current version so fragmented that a new one is worth its price? At most
    /// logarithmically often.
    pub fn wants_renumbering(&self) -> bool {
        let version = self.version();
        version < Version::LAST
            && self.made >= FIRST_LIMIT.saturating_mul(1u64.checked_shl(version.0 - 1).unwrap_or(u64::MAX))
    }

    /// So many more entries had to search for their links. Has that cost as much as a new version,
    /// which would spare it? The limit doubles with each yes, so there are at most logarithmically
    /// many.
    pub fn strained(&mut self, entries: u64) -> bool {
        self.strain.0 += entries;
        let due = self.made >= LEAST_MADE && self.strain.0 >= self.strain.1 && self.version() < Version::LAST;
        if due {
            self.strain.1 = self.strain.1.saturating_mul(2);
        }
        due
    }

    /// Starts a new version: clean segments for all edges in use. What it came to; `None`, and
    /// nothing done, after [`Version::LAST`].
    pub fn renumber(&mut self) -> Option<NumberingSize> {
        let version = Version(self.version().0 + 1);
        if version > Version::LAST {
            return None;
        }
        let numbering = self.graph.number();
        let size = numbering.size(version);
        self.changes.push(Change::NewVersion { version, digest: numbering.digest() });
        let cut = numbering.iter().filter(|(_, range)| range.cut).map(|(_, range)| range.edge);
        self.cut_by_growth.clear();
        self.cut_by_size = cut.filter(|&edge| self.state(edge) == EdgeState::Ordered).collect();
        self.segments = Segments::new(&numbering);
        self.retired.clear();
        self.rooms = Paged::new(Room::EMPTY);
        for (method, block) in numbering.blocks() {
            self.rooms[method.index()] = Room { block, appended: APPENDED };
        }
        self.graph.push_version(Table::new(numbering));
        self.stats.largest_number =
            self.rooms.iter().map(|(_, room)| room.most()).fold(self.stats.largest_number, u64::max);
        self.translations.clear();
        self.made = 0;
        self.strain.0 = 0;
        Some(size)
    }

    /// The changes since the last call, in order. They must reach the log before any word handed
    /// out since.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// The graph as of now; constant time.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.graph.clone())
    }

    /// Counts as of now.
    pub fn stats(&self) -> EncoderStats {
        EncoderStats {
            methods: self.graph.method_count(),
            sites: self.graph.sites(),
            edges: self.graph.edge_count(),
            cut_by_size: self.cut_by_size.len(),
            versions: self.version().0,
            segments: self.segments.len(),
            translations: self.translations.count(),
            ..self.stats
        }
    }

    pub(crate) fn change(&mut self, change: Change) {
        let applied = self.graph.apply(&change);
        debug_assert_eq!(applied, Ok(()), "{change:?}");
        self.changes.push(change);
    }

    pub(crate) fn state(&self, edge: EdgeId) -> EdgeState {
        self.graph.edge(edge).map_or(EdgeState::Cut, |edge| edge.state)
    }

    pub(crate) fn caller(&self, edge: EdgeId) -> MethodId {
        self.graph.edge(edge).map_or(MethodId::ROOT, |edge| edge.caller)
    }

    pub(crate) fn callee(&self, edge: EdgeId) -> MethodId {
        self.graph.edge(edge).map_or(MethodId::ROOT, |edge| edge.callee)
    }
}
