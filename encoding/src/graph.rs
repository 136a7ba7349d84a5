//! The call graph with all its numberings, persistent: what the encoder grows, the replay rebuilds
//! and a snapshot keeps.
//!
//! Invariant: the graph changes by [`Graph::apply`] alone, so that whoever applies the same changes
//! holds the same graph.
//! Source: Lucce section 5 (persistent versions of the graph); ARCHITECTURE ("Terms"),
//! docs/design/words-and-numbering.md ("Snapshots").

pub(crate) mod edge;
pub(crate) mod pages;
pub(crate) mod range;
pub(crate) mod retired;
pub(crate) mod table;

use std::collections::BTreeSet;

use imbl::{OrdMap, Vector};
use lucce_words::{EdgeId, MethodId, NUMBER_LIMIT, SiteId, Version};

use crate::change::Change;
use crate::graph::edge::{Edge, EdgeState};
use crate::graph::pages::Pages;
use crate::graph::range::Range;
use crate::graph::retired::Numbers;
use crate::graph::table::Table;
use crate::link::Passage;
use crate::numbering::Numbering;
use crate::replay::error::ReplayError;

/// Farthest an edge's id may lie beyond the ids known so far. The encoder gives them without gaps:
/// a larger leap is damage, not growth.
const LEAP: usize = 1 << 22;

/// What is known of a method.
#[derive(Clone, Copy)]
struct KnownMethod {
    constructor: bool,
    /// Its class was unloaded.
    gone: bool,
}

#[derive(Clone)]
pub(crate) struct Graph {
    methods: Pages<KnownMethod>,
    sites: OrdMap<SiteId, MethodId>,
    edges: Pages<Edge>,
    /// Tables of the versions before the current one, from version 1 on.
    past: Vector<Table>,
    current: Table,
}

impl Graph {
    /// A graph of the root alone, in version 1.
    pub(crate) fn new() -> Self {
        let mut methods = Pages::default();
        methods.insert(MethodId::ROOT.index(), KnownMethod { constructor: false, gone: false });
        Self {
            methods,
            sites: OrdMap::unit(SiteId::ROOT, MethodId::ROOT),
            edges: Pages::default(),
            past: Vector::new(),
            current: Table::default(),
        }
    }

    pub(crate) fn version(&self) -> Version {
        Version(self.past.len() as u32 + 1)
    }

    pub(crate) fn table(&self, version: Version) -> Option<&Table> {
        if version == self.version() { Some(&self.current) } else { self.past.get(version.index().checked_sub(1)?) }
    }

    pub(crate) fn add_method(&mut self, method: MethodId, constructor: bool) -> Result<(), ReplayError> {
        if method.0 >= MethodId::LIMIT {
            return Err(ReplayError::Leap);
        }
        let gone = self.is_gone(method);
        self.methods.insert(method.index(), KnownMethod { constructor, gone });
        Ok(())
    }

    pub(crate) fn add_site(&mut self, site: SiteId, method: MethodId) {
        self.sites.insert(site, method);
    }

    pub(crate) fn is_method(&self, method: MethodId) -> bool {
        self.methods.get(method.index()).is_some()
    }

    pub(crate) fn is_constructor(&self, method: MethodId) -> bool {
        self.methods.get(method.index()).is_some_and(|known| known.constructor)
    }

    fn is_gone(&self, method: MethodId) -> bool {
        self.methods.get(method.index()).is_some_and(|known| known.gone)
    }

    /// All known methods by ascending id.
    pub(crate) fn methods(&self) -> impl Iterator<Item = MethodId> {
        self.methods.iter().map(|(id, _)| MethodId(id as u32))
    }

    /// Behind the highest id of a known method.
    pub(crate) fn method_count(&self) -> usize {
        self.methods.end()
    }

    pub(crate) fn site_method(&self, site: SiteId) -> Option<MethodId> {
        self.sites.get(&site).copied()
    }

    pub(crate) fn sites(&self) -> usize {
        self.sites.len()
    }

    pub(crate) fn edge(&self, edge: EdgeId) -> Option<&Edge> {
        self.edges.get(edge.index())
    }

    /// All known edges by ascending id.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.edges.iter().map(|(id, edge)| (EdgeId(id as u32), edge))
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.end()
    }

    /// Numbers the graph as it is now.
    pub(crate) fn number(&self) -> Numbering {
        let edges = self.edges().filter(|(_, edge)| !self.is_gone(edge.caller) && !self.is_gone(edge.callee));
        Numbering::new(edges, |method| self.is_constructor(method))
    }

    /// Forgets unloaded methods, their sites and the edges to and from them, in all versions. Only
    /// their words become unknown by it, and those whose path leads through them: none of them is
    /// left on any stack.
    pub(crate) fn forget(&mut self, methods: &BTreeSet<MethodId>, sites: &[SiteId], edges: &BTreeSet<EdgeId>) {
        for site in sites {
            self.sites.remove(site);
        }
        for &edge in edges {
            self.edges.forget(edge.index());
        }
        let gone = |method: MethodId, edge: EdgeId| methods.contains(&method) || edges.contains(&edge);
        self.current.forget(gone);
        for table in self.past.iter_mut() {
            table.forget(gone);
        }
    }

    /// Forgets what the current version has appended about numbers that nobody has any more.
    pub(crate) fn retire(&mut self, numbers: Numbers) {
        self.current.retire(numbers.method, numbers.first, numbers.end);
    }

    /// Starts the next version with this numbering.
    pub(crate) fn push_version(&mut self, table: Table) {
        self.past.push_back(std::mem::replace(&mut self.current, table));
    }

    /// Performs one change. Refuses, unchanged, what contradicts the graph.
    pub(crate) fn apply(&mut self, change: &Change) -> Result<(), ReplayError> {
        match *change {
            Change::Edge { edge, site, callee } => {
                let caller = self.site_method(site).ok_or(ReplayError::Site(site))?;
                if callee == MethodId::ROOT || !self.is_method(callee) {
                    return Err(ReplayError::Method(callee));
                }
                if !self.is_method(caller) {
                    return Err(ReplayError::Method(caller));
                }
                if edge.index() > self.edges.end() + LEAP {
                    return Err(ReplayError::Leap);
                }
                if let Some(known) = self.edges.get(edge.index()) {
                    let same = (known.site, known.callee) == (site, callee);
                    return same.then_some(()).ok_or(ReplayError::Twice(edge));
                }
                let (state, used) = (EdgeState::Ordered, [false; 2]);
                self.edges.insert(edge.index(), Edge { site, caller, callee, state, used, cut_used: false });
            }
            Change::Cut { edge } => self.edge_mut(edge)?.state = EdgeState::Cut,
            Change::Unrolled { edge } => self.edge_mut(edge)?.state = EdgeState::Unrolled,
            Change::Segment { edge, version, lo, len, restoring, base } => {
                let callee = self.edge(edge).ok_or(ReplayError::Edge(edge))?.callee;
                let fits = |from: u64| from.checked_add(len).is_some_and(|end| end <= NUMBER_LIMIT);
                if len == 0 || !fits(lo) || !fits(base) {
                    return Err(ReplayError::Range(edge));
                }
                self.append(version, callee, Range { base, len, lo, edge, restoring, cut: false })?;
                if !self.edge(edge).is_some_and(|known| known.used(Passage::of(restoring))) {
                    self.edge_mut(edge)?.used[usize::from(restoring)] = true;
                }
            }
            Change::CutNumber { edge, version, number } => {
                let callee = self.edge(edge).ok_or(ReplayError::Edge(edge))?.callee;
                if number >= NUMBER_LIMIT {
                    return Err(ReplayError::Range(edge));
                }
                self.append(version, callee, Range::cut(edge, number))?;
                self.edge_mut(edge)?.cut_used = true;
            }
            Change::Unloaded { method } => match self.methods.get_mut(method.index()) {
                Some(known) if method != MethodId::ROOT => known.gone = true,
                _ => return Err(ReplayError::Method(method)),
            },
            Change::NewVersion { version, digest } => {
                if version <= self.version() || version > Version::LAST {
                    return Err(ReplayError::Version(version));
                }
                self.skip_to(Version(version.0 - 1));
                let numbering = self.number();
                let same = numbering.digest() == digest;
                self.push_version(if same { Table::new(numbering) } else { Table::unreadable() });
                if !same {
                    return Err(ReplayError::Digest(version));
                }
            }
        }
        Ok(())
    }

    fn append(&mut self, version: Version, method: MethodId, range: Range) -> Result<(), ReplayError> {
        if version < Version::FIRST || version > Version::LAST {
            return Err(ReplayError::Version(version));
        }
        self.skip_to(version);
        let current = version == self.version();
        let table = if current { &mut self.current } else { &mut self.past[version.index() - 1] };
        table.append(method, range).then_some(()).ok_or(ReplayError::Range(range.edge))
    }

    /// Where the start of a version is missing, the version is there but unreadable.
    fn skip_to(&mut self, version: Version) {
        while self.version() < version {
            self.push_version(Table::unreadable());
        }
    }

    fn edge_mut(&mut self, edge: EdgeId) -> Result<&mut Edge, ReplayError> {
        self.edges.get_mut(edge.index()).ok_or(ReplayError::Edge(edge))
    }
}
