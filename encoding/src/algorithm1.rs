//! The paper's own algorithm: one number for any path, recursion included, and a graph version for
//! every change.
//!
//! Invariant: after `update(e, <c, v>)` in version v', `lv(p) = v` in v' (Lucce, Theorem 1), so
//! decoding finds the caller's version.
//! Source: Lucce sections 2 (numCC, av, prev), 5 (Algorithm 1, De);
//! docs/design/published-encoders.md ("Algorithm 1").
//!
//! One point of the paper is read closer than it is written. "av(e) is computed in the updated
//! graph" would count a method's own calls of itself with the count just set, and numCC would then
//! not cover its numbers: another edge's traces come out (a named test shows one). Here such a call
//! counts with the value numCC had before the update, in the count and in av alike.
//!
//! Overflow: [`Algorithm1::update`] refuses, naming what ran out, and leaves the graph as it was;
//! the context is then unknown, never a wrong frame. With `u64` that comes soon under recursion,
//! since each level adds to numCC all round the cycle.

mod history;

pub use history::{CallId, Encoding, History, HistoryEvent};

use lucce_words::{MethodId, Paged, SiteId, Version};

use crate::replay::error::ReplayError;

/// Why an update was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// The numbers of contexts pass the number type.
    CallIds,
    /// The graph changed more often than there are versions.
    Versions,
    /// The site or method is not known, or the encoding is of a version to come.
    Unknown,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::CallIds => "callId exhausted",
            Self::Versions => "versions exhausted",
            Self::Unknown => "unknown call edge",
        })
    }
}

impl std::error::Error for Refused {}

/// The graph G = <E, numCC, lv> with its version. Its owner serialises access: an update and the
/// reading of the version are one step.
pub struct Algorithm1<C> {
    history: History<C>,
    /// The newest version, by method id.
    nodes: Paged<VersionedNode<C>>,
    version: Version,
    limit: Version,
    events: Vec<HistoryEvent<C>>,
}

/// A node in the newest version.
#[derive(Clone)]
struct VersionedNode<C> {
    contexts: C,
    last: Option<Version>,
    /// Sites and their methods, in the fixed order.
    incoming: Vec<(SiteId, MethodId)>,
}

impl<C: CallId> Default for Algorithm1<C> {
    fn default() -> Self {
        Self::new(Version(u32::MAX))
    }
}

impl<C: CallId> Algorithm1<C> {
    /// The root alone in version 0; `limit` is the last version there may be.
    pub fn new(limit: Version) -> Self {
        let mut nodes = Paged::new(VersionedNode { contexts: C::ZERO, last: None, incoming: Vec::new() });
        nodes[MethodId::ROOT.index()].contexts = C::ONE;
        Self { history: History::new(), nodes, version: Version(0), limit, events: Vec::new() }
    }

    /// The graph's version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The encoding of the empty path: <0, 0>.
    pub fn root(&self) -> Encoding<C> {
        Encoding { call_id: C::ZERO, version: Version(0) }
    }

    /// Makes a site of a method known.
    pub fn add_site(&mut self, site: SiteId, method: MethodId) {
        self.history.add_site(site, method);
    }

    /// `Update(e, <c, v>)` for the edge from `site` to `callee`; the encoding of the activation of
    /// `callee`.
    ///
    /// # Errors
    /// Numbers or versions ran out, or the edge makes no sense. Nothing has changed then.
    pub fn update(&mut self, site: SiteId, callee: MethodId, at: &Encoding<C>) -> Result<Encoding<C>, Refused> {
        let caller = self.history.site_method(site).ok_or(Refused::Unknown)?;
        let known = |method: MethodId| method.0 < MethodId::LIMIT;
        if callee == MethodId::ROOT || at.version > self.version || !known(caller) || !known(callee) {
            return Err(Refused::Unknown);
        }
        // Both sums are taken before anything changes: lv has no part in them, and a new edge comes
        // behind the others.
        let node = &self.nodes[callee.index()];
        let (mut before, mut total) = (None, C::ZERO);
        for &(edge, from) in &node.incoming {
            if edge == site {
                before = Some(total.clone());
            }
            total = self.with(&total, from)?;
        }
        let new = before.is_none();
        let before = before.unwrap_or_else(|| total.clone());
        if new {
            total = self.with(&total, caller)?;
        }
        let call_id = at.call_id.checked_add(&before).ok_or(Refused::CallIds)?;
        let last = caller != MethodId::ROOT && self.nodes[caller.index()].last != Some(at.version);
        let grown = node.contexts != total;
        if self.limit.0 - self.version.0 < u32::from(last) + u32::from(new) + u32::from(grown) {
            return Err(Refused::Versions);
        }
        if last {
            self.nodes[caller.index()].last = Some(at.version);
            self.record(|version| HistoryEvent::LastVersion { version, method: caller, last: at.version });
        }
        if new {
            self.nodes[callee.index()].incoming.push((site, caller));
            self.record(|version| HistoryEvent::Edge { version, site, callee });
        }
        if grown {
            self.nodes[callee.index()].contexts = total.clone();
            self.record(|version| HistoryEvent::Contexts { version, method: callee, contexts: total });
        }
        Ok(Encoding { call_id, version: self.version })
    }

    /// The changes since the last call, in order: write-ahead for the log.
    pub fn take_events(&mut self) -> Vec<HistoryEvent<C>> {
        std::mem::take(&mut self.events)
    }

    /// All versions up to now; constant time.
    pub fn history(&self) -> History<C> {
        self.history.clone()
    }

    /// `x <- y`: a version of its own for each change.
    fn record(&mut self, event: impl FnOnce(Version) -> HistoryEvent<C>) {
        self.version.0 += 1;
        let event = event(self.version);
        let applied = self.history.apply(&event);
        debug_assert_eq!(applied, Ok::<(), ReplayError>(()));
        self.events.push(event);
    }

    fn with(&self, sum: &C, caller: MethodId) -> Result<C, Refused> {
        sum.checked_add(&self.nodes[caller.index()].contexts).ok_or(Refused::CallIds)
    }
}
