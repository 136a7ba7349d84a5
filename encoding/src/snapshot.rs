//! The graph as of some moment, for other threads: one step down from a word, and look-ups.
//!
//! Invariant: a snapshot never changes; cloning and keeping it costs no more than what has changed since.
//! Source: Lucce section 5 (persistent graph); DESIGN section 6.

use lucce_words::{EdgeId, MethodId, SiteId, Space, Version, Word};

use crate::change::Change;
use crate::decode::Unknown;
use crate::graph::{Edge, EdgeState, Graph};
use crate::numbering::Range;

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
        /// The activation above owns a restoring entry of the chain (a constructor never does).
        restoring: bool,
    },
    /// The activation was entered through a cut: its own entry of the chain, a cut one, tells the caller's word.
    Chain {
        /// The edge taken.
        edge: EdgeId,
        /// Its site.
        site: SiteId,
    },
    /// Nothing: this is the thread base.
    Root,
}

/// The numbers `[base, base+len)` of a method's space and where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRange {
    /// The method's space.
    pub space: Space,
    /// First number.
    pub base: u64,
    /// How many numbers.
    pub len: u64,
    /// The edge they stand for.
    pub edge: EdgeId,
    /// The caller's space and its first number; `None` for a cut number.
    pub source: Option<(Space, u64)>,
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
        self.graph.edges().enumerate().filter_map(|(id, edge)| Some((EdgeId(id as u32), edge?)))
    }

    /// All ranges of a method in a version, by space and base; nothing for a version that is not known.
    pub fn ranges(&self, method: MethodId, version: Version) -> impl Iterator<Item = NumberRange> {
        let table = self.graph.table(version);
        Space::ALL.into_iter().flat_map(move |space| {
            table.into_iter().flat_map(move |table| table.ranges(method, space)).map(move |range| NumberRange {
                space,
                base: range.base,
                len: range.len,
                edge: range.edge,
                source: (!range.cut).then_some((range.source, range.lo)),
            })
        })
    }

    /// Changes that repeat all edges and the whole current version, ranges of its numbering included: a decoder that has lost earlier
    /// changes reads words of this version again from here on. Applied to a whole replay they change nothing.
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
        let methods = (0..self.graph.methods() as u32).map(MethodId);
        let ranges = methods.flat_map(move |method| self.ranges(method, version)).map(move |range| {
            let NumberRange { space, base, len, edge, source } = range;
            match source {
                Some((source, lo)) => {
                    Change::Segment { edge, version, source, lo, len, restoring: space.restoring, base }
                }
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
    let &Range { base, lo, edge: id, source, cut, .. } = table
        .find(method, word.space(), word.number())
        .ok_or(if table.is_readable() { Unknown::Number } else { Unknown::Version(version) })?;
    let edge = graph.edge(id).ok_or(Unknown::Edge)?;
    if cut {
        return Ok(Below::Chain { edge: id, site: edge.site });
    }
    Ok(Below::Caller {
        edge: id,
        site: edge.site,
        caller: edge.caller,
        word: Word::new(version, source, lo + (word.number() - base)),
        restoring: word.restoring() && !graph.is_constructor(method),
    })
}

/// The root's only word in a version.
pub(crate) const fn root_word(version: Version) -> Word {
    Word::new(version, Space { restoring: false, chained: false }, 0)
}
