//! The graph as of some moment, for other threads: one step down from a word, and look-ups.
//!
//! Invariant: a snapshot never changes; cloning and keeping it costs no more than what has changed
//! since.
//! Source: Lucce section 5 (persistent graph); docs/design/words-and-numbering.md ("Snapshots").

use lucce_words::{BLOCK, EdgeId, MethodId, SiteId, Version, Word};

use crate::change::Change;
use crate::decode::unknown::Unknown;
use crate::graph::Graph;
use crate::graph::edge::{Edge, EdgeState};
use crate::graph::range::Range;

/// What is below an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Below {
    /// Another activation, told by the number.
    Caller {
        /// The edge taken.
        edge: EdgeId,
        /// Its site.
        site: SiteId,
        /// The site's method.
        caller: MethodId,
        /// The caller's word.
        word: Word,
        /// The activation above restores. Of a chained word it owns a restoring entry of the shadow
        /// stack, if it is no constructor.
        restoring: bool,
    },
    /// The activation was entered through a cut: its own entry of the shadow stack, a cut one,
    /// tells the caller's word.
    ShadowStack {
        /// The edge taken.
        edge: EdgeId,
        /// Its site.
        site: SiteId,
    },
    /// Nothing: this is the thread base.
    Root,
}

impl Below {
    /// Does the activation above restore?
    pub const fn restores(&self) -> bool {
        match self {
            Self::Caller { restoring, .. } => *restoring,
            Self::ShadowStack { .. } => true,
            Self::Root => false,
        }
    }
}

/// The numbers `[base, base+len)` of a method and where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRange {
    /// The activations entered so restore.
    pub restoring: bool,
    /// First number.
    pub base: u64,
    /// How many numbers.
    pub len: u64,
    /// The edge they stand for.
    pub edge: EdgeId,
    /// The caller's first number; `None` for a cut number.
    pub source: Option<u64>,
}

/// A persistent graph. `Send` and `Sync`.
#[derive(Clone)]
pub struct Snapshot {
    graph: Graph,
}

impl Snapshot {
    pub(crate) fn new(graph: Graph) -> Self {
        Self { graph }
    }

    /// One step down from an activation of `method` with `word`.
    pub fn step(&self, method: MethodId, word: Word) -> Result<Below, Unknown> {
        step(&self.graph, method, word)
    }

    /// The current version.
    pub fn version(&self) -> Version {
        self.graph.version()
    }

    /// The method that owns a site.
    pub fn site_method(&self, site: SiteId) -> Option<MethodId> {
        self.graph.site_method(site)
    }

    /// Is it known and a constructor?
    pub fn is_constructor(&self, method: MethodId) -> bool {
        self.graph.is_constructor(method)
    }

    /// An edge by id.
    pub fn edge(&self, edge: EdgeId) -> Option<&Edge> {
        self.graph.edge(edge)
    }

    /// All known edges by ascending id.
    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.graph.edges()
    }

    /// All ranges of a method in a version; nothing for a version that is not known.
    pub fn ranges(&self, method: MethodId, version: Version) -> impl Iterator<Item = NumberRange> {
        self.graph.table(version).into_iter().flat_map(move |table| table.ranges(method)).map(|range| NumberRange {
            restoring: range.restoring,
            base: range.base,
            len: range.len,
            edge: range.edge,
            source: (!range.cut).then_some(range.lo),
        })
    }

    /// Changes that repeat all edges and the whole current version, ranges of its numbering
    /// included: a decoder that has lost earlier changes reads words of this version again from
    /// here on. Applied to a whole replay they change nothing.
    pub fn keyframe(&self) -> impl Iterator<Item = Change> {
        let version = self.version();
        let edges = self.edges().flat_map(|(edge, known)| {
            let state = match known.state {
                EdgeState::Ordered => None,
                EdgeState::Cut => Some(Change::Cut { edge }),
                EdgeState::Unrolled => Some(Change::Unrolled { edge }),
            };
            [Some(Change::Edge { edge, site: known.site, callee: known.callee }), state].into_iter().flatten()
        });
        let ranges = self.graph.methods().flat_map(move |method| self.ranges(method, version)).map(move |range| {
            let NumberRange { restoring, base, len, edge, source } = range;
            match source {
                Some(lo) => Change::Segment { edge, version, lo, len, restoring, base },
                None => Change::CutNumber { edge, version, number: base },
            }
        });
        edges.chain(ranges)
    }
}

/// One step down in any graph.
pub(crate) fn step(graph: &Graph, method: MethodId, word: Word) -> Result<Below, Unknown> {
    let version = word.version();
    if version < Version::FIRST {
        return Err(word.lost_reason().map_or(Unknown::None, Unknown::Lost));
    }
    let table = graph.table(version).ok_or(Unknown::Version(version))?;
    if method == MethodId::ROOT {
        return if word == root_word(version) { Ok(Below::Root) } else { Err(Unknown::Number) };
    }
    let &Range { base, lo, edge: id, restoring, cut, .. } = table
        .find(method, word.number())
        .ok_or(if table.is_readable() { Unknown::Number } else { Unknown::Version(version) })?;
    let edge = graph.edge(id).ok_or(Unknown::Edge)?;
    if cut {
        return if word.chained() {
            Ok(Below::ShadowStack { edge: id, site: edge.site })
        } else {
            Err(Unknown::Number)
        };
    }
    Ok(Below::Caller {
        edge: id,
        site: edge.site,
        caller: edge.caller,
        word: Word::new(version, word.chained(), lo + (word.number() - base)),
        restoring,
    })
}

/// The root's only word in a version.
pub(crate) const fn root_word(version: Version) -> Word {
    Word::new(version, false, BLOCK)
}
