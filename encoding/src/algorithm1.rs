//! The paper's own algorithm: one number for any path, recursion included, and a graph version for every change.
//!
//! Invariant: after `update(e, <c, v>)` in version v', `lv(p) = v` in v' (Lucce, Theorem 1), so decoding finds the caller's version.
//! Source: Lucce sections 2 (numCC, av, prev), 5 (Algorithm 1, De); DESIGN section 7.
//!
//! One point of the paper is read closer than it is written. "av(e) is computed in the updated graph" would count a method's own calls
//! of itself with the count just set, and numCC would then not cover its numbers: another edge's traces come out (a named test
//! shows one). Here such a call counts with the value numCC had before the update, in the count and in av alike.
//!
//! Overflow: [`Algorithm1::update`] refuses, naming what ran out, and leaves the graph as it was; the context is then unknown, never
//! a wrong frame. With `u64` that comes soon under recursion, since each level adds to numCC all round the cycle.

mod history;

pub use history::{CallId, Encoding, Event, History};

use lucce_words::{MethodId, SiteId, Version};

use crate::replay::ReplayError;

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

/// The graph G = <E, numCC, lv> with its version. Its owner serialises access: an update and the reading of the version are one step.
pub struct Algorithm1<C> {
    history: History<C>,
    version: Version,
    limit: Version,
    events: Vec<Event<C>>,
}

impl<C: CallId> Default for Algorithm1<C> {
    fn default() -> Self {
        Self::new(Version(u32::MAX))
    }
}

impl<C: CallId> Algorithm1<C> {
    /// The root alone in version 0; `limit` is the last version there may be.
    pub fn new(limit: Version) -> Self {
        Self { history: History::new(), version: Version(0), limit, events: Vec::new() }
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

    /// `Update(e, <c, v>)` for the edge from `site` to `callee`; the encoding of the activation of `callee`.
    ///
    /// # Errors
    /// Numbers or versions ran out, or the edge makes no sense. Nothing has changed then.
    pub fn update(&mut self, site: SiteId, callee: MethodId, at: &Encoding<C>) -> Result<Encoding<C>, Refused> {
        let caller = self.history.site_method(site).ok_or(Refused::Unknown)?;
        if callee == MethodId::ROOT || at.version > self.version {
            return Err(Refused::Unknown);
        }
        // Both sums are taken before anything changes: lv has no part in them, and a new edge comes behind the others.
        let known = self.history.position(site, callee, self.version);
        let before = self.sum(callee, |at| at != site, None)?;
        let total = self.sum(callee, |_| true, known.is_none().then_some(caller))?;
        let call_id = at.call_id.checked_add(&before).ok_or(Refused::CallIds)?;
        let last = caller != MethodId::ROOT && self.history.last_version(caller, self.version) != Some(at.version);
        let grown = self.history.contexts(callee, self.version) != total;
        let steps = u32::from(last) + u32::from(known.is_none()) + u32::from(grown);
        if self.limit.0 - self.version.0 < steps {
            return Err(Refused::Versions);
        }
        if last {
            self.record(|version| Event::LastVersion { version, method: caller, last: at.version });
        }
        if known.is_none() {
            self.record(|version| Event::Edge { version, site, callee });
        }
        if grown {
            self.record(|version| Event::Contexts { version, method: callee, contexts: total });
        }
        Ok(Encoding { call_id, version: self.version })
    }

    /// The changes since the last call, in order: write-ahead for the log.
    pub fn take_events(&mut self) -> Vec<Event<C>> {
        std::mem::take(&mut self.events)
    }

    /// All versions up to now; constant time.
    pub fn history(&self) -> History<C> {
        self.history.clone()
    }

    /// `x <- y`: a version of its own for each change.
    fn record(&mut self, event: impl FnOnce(Version) -> Event<C>) {
        self.version.0 += 1;
        let event = event(self.version);
        let applied = self.history.apply(&event);
        debug_assert_eq!(applied, Ok::<(), ReplayError>(()));
        self.events.push(event);
    }

    /// The contexts of the callers of `callee` over its edges up to the first that `within` refuses, and of `new`.
    fn sum(&self, callee: MethodId, within: impl Fn(SiteId) -> bool, new: Option<MethodId>) -> Result<C, Refused> {
        let edges = self.history.incoming(callee, self.version).take_while(|&(site, _)| within(site));
        let callers = edges.map(|(_, caller)| caller).chain(new);
        let mut counts = callers.map(|caller| self.history.contexts(caller, self.version));
        counts.try_fold(C::ZERO, |sum, count| sum.checked_add(&count).ok_or(Refused::CallIds))
    }
}
