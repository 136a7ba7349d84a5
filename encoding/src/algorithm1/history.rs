//! All versions of the graph of Algorithm 1, persistent: each value with the version it was set in.
//!
//! Invariant: a version, once passed, never changes; a value holds from its version to the next one
//! of the same node.
//! Source: Lucce section 5.

use imbl::OrdMap;
use lucce_words::{MethodId, SiteId, Version};

use crate::decode::unknown::Unknown;
use crate::decode::{Decoded, DecodedFrame, End};
use crate::replay::error::ReplayError;

/// Most frames of a trace: what damaged values may cost.
const LONGEST: usize = 1 << 22;

/// A number of contexts: `u64`, or a big integer, which never overflows.
pub trait CallId: Clone + Ord + std::fmt::Debug {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The sum; `None` if the type cannot hold it.
    fn checked_add(&self, other: &Self) -> Option<Self>;
    /// The difference; `None` if `other` is larger.
    fn checked_sub(&self, other: &Self) -> Option<Self>;
}

impl CallId for u64 {
    const ZERO: Self = 0;
    const ONE: Self = 1;

    fn checked_add(&self, other: &Self) -> Option<Self> {
        Self::checked_add(*self, *other)
    }

    fn checked_sub(&self, other: &Self) -> Option<Self> {
        Self::checked_sub(*self, *other)
    }
}

/// The pair <callId, version> of an activation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Encoding<C> {
    /// The context's number at its method in that version.
    pub call_id: C,
    /// The version of the graph when the method was entered.
    pub version: Version,
}

/// One change of the graph; `version` is the version it makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryEvent<C> {
    /// E gained an edge.
    Edge {
        /// The version it makes.
        version: Version,
        /// The calling instruction.
        site: SiteId,
        /// The method entered.
        callee: MethodId,
    },
    /// numCC(method) changed.
    Contexts {
        /// The version it makes.
        version: Version,
        /// Which node.
        method: MethodId,
        /// Its number of contexts.
        contexts: C,
    },
    /// lv(method) changed.
    LastVersion {
        /// The version it makes.
        version: Version,
        /// Which node.
        method: MethodId,
        /// The version in which its activation that called last was entered.
        last: Version,
    },
}

impl<C> HistoryEvent<C> {
    fn version(&self) -> Version {
        match *self {
            Self::Edge { version, .. } | Self::Contexts { version, .. } | Self::LastVersion { version, .. } => version,
        }
    }
}

/// Every version so far. A clone is cheap and stays as it was.
#[derive(Clone)]
pub struct History<C> {
    sites: OrdMap<SiteId, MethodId>,
    /// The n-th edge into a method, and the version it came in.
    incoming: OrdMap<(MethodId, u32), (SiteId, Version)>,
    contexts: OrdMap<(MethodId, Version), C>,
    last_versions: OrdMap<(MethodId, Version), Version>,
    newest: Version,
}

impl<C: CallId> Default for History<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: CallId> History<C> {
    /// The root alone, in version 0.
    pub fn new() -> Self {
        Self {
            sites: OrdMap::unit(SiteId::ROOT, MethodId::ROOT),
            incoming: OrdMap::new(),
            contexts: OrdMap::unit((MethodId::ROOT, Version(0)), C::ONE),
            last_versions: OrdMap::new(),
            newest: Version(0),
        }
    }

    /// Makes a site of a method known.
    pub fn add_site(&mut self, site: SiteId, method: MethodId) {
        if site != SiteId::ROOT {
            self.sites.insert(site, method);
        }
    }

    /// Repeats one change.
    ///
    /// # Errors
    /// A version that is not the next (an event before it is missing): do not go on, since all
    /// later sums may differ.
    pub fn apply(&mut self, event: &HistoryEvent<C>) -> Result<(), ReplayError> {
        let version = event.version();
        if version.0.checked_sub(1) != Some(self.newest.0) {
            return Err(ReplayError::Version(version));
        }
        match event {
            HistoryEvent::Edge { site, callee, .. } => {
                if !self.sites.contains_key(site) {
                    return Err(ReplayError::Site(*site));
                }
                let last = self.incoming.get_prev(&(*callee, u32::MAX)).filter(|((method, _), _)| method == callee);
                let nth = last.map_or(0, |((_, nth), _)| nth + 1);
                self.incoming.insert((*callee, nth), (*site, version));
            }
            HistoryEvent::Contexts { method, contexts, .. } => {
                self.contexts.insert((*method, version), contexts.clone());
            }
            HistoryEvent::LastVersion { method, last, .. } => {
                self.last_versions.insert((*method, version), *last);
            }
        }
        self.newest = version;
        Ok(())
    }

    /// The newest version.
    pub fn version(&self) -> Version {
        self.newest
    }

    /// The method that owns a site.
    pub fn site_method(&self, site: SiteId) -> Option<MethodId> {
        self.sites.get(&site).copied()
    }

    /// numCC of a method in a version; 1 for the root, 0 for what was not entered yet.
    pub fn contexts(&self, method: MethodId, version: Version) -> C {
        let held = self.contexts.get_prev(&(method, version)).filter(|((at, _), _)| *at == method);
        held.map_or(C::ZERO, |(_, contexts)| contexts.clone())
    }

    /// What an edge from `caller` to `callee` counts for: numCC of the caller, but of a method that
    /// calls itself the count before the newest one, which is made of it.
    fn share(&self, caller: MethodId, callee: MethodId, version: Version) -> C {
        if caller != callee {
            return self.contexts(caller, version);
        }
        let newest = self.contexts.get_prev(&(callee, version)).filter(|((at, _), _)| *at == callee);
        let before = newest.and_then(|((_, since), _)| since.0.checked_sub(1));
        before.map_or(C::ZERO, |before| self.contexts(callee, Version(before)))
    }

    /// lv of a method in a version; `None` if it had not called yet.
    pub fn last_version(&self, method: MethodId, version: Version) -> Option<Version> {
        let held = self.last_versions.get_prev(&(method, version)).filter(|((at, _), _)| *at == method);
        held.map(|(_, last)| *last)
    }

    /// The edges into a method in a version, in their fixed order: site and caller.
    pub fn incoming(&self, method: MethodId, version: Version) -> impl Iterator<Item = (SiteId, MethodId)> {
        let all = self.incoming.range((method, 0)..=(method, u32::MAX));
        let then = all.map(|(_, held)| *held).take_while(move |&(_, since)| since <= version);
        then.filter_map(|(site, _)| Some((site, self.site_method(site)?)))
    }

    /// av of the edge from `site` to `method` in a version: the contexts of the callers before it.
    pub fn addition_value(&self, site: SiteId, method: MethodId, version: Version) -> Option<C> {
        let mut sum = C::ZERO;
        for (at, caller) in self.incoming(method, version) {
            if at == site {
                return Some(sum);
            }
            sum = sum.checked_add(&self.share(caller, method, version))?;
        }
        None
    }

    /// prev(n, c, v): the edge with the greatest addition value up to the callId, and that value.
    pub fn previous(&self, method: MethodId, at: &Encoding<C>) -> Option<(SiteId, MethodId, C)> {
        let (mut sum, mut found) = (C::ZERO, None);
        for (site, caller) in self.incoming(method, at.version) {
            if sum > at.call_id {
                break;
            }
            let next = sum.checked_add(&self.share(caller, method, at.version));
            found = Some((site, caller, sum));
            match next {
                Some(next) => sum = next,
                None => break,
            }
        }
        found
    }

    /// De(n, <c, v>): the frames, innermost first. A callId that no edge explains ends as unknown.
    pub fn decode(&self, method: MethodId, at: &Encoding<C>) -> Decoded {
        let mut frames = Vec::new();
        let end = self.unwind(method, at.clone(), &mut frames).map_or_else(End::Unknown, |()| End::Root);
        Decoded { frames, end }
    }

    fn unwind(&self, mut method: MethodId, mut at: Encoding<C>, frames: &mut Vec<DecodedFrame>) -> Result<(), Unknown> {
        let mut called = None;
        while method != MethodId::ROOT {
            frames.push(DecodedFrame { method, site: called });
            if at.version > self.newest {
                return Err(Unknown::Version(at.version));
            }
            if frames.len() > LONGEST {
                return Err(Unknown::Depth);
            }
            let (site, caller, value) = self.previous(method, &at).ok_or(Unknown::Number)?;
            let call_id = at.call_id.checked_sub(&value).ok_or(Unknown::Number)?;
            if call_id >= self.contexts(caller, at.version) {
                return Err(Unknown::Number);
            }
            let version = match caller {
                MethodId::ROOT => Version(0),
                caller => self.last_version(caller, at.version).ok_or(Unknown::Edge)?,
            };
            (method, called, at) = (caller, Some(site), Encoding { call_id, version });
        }
        if at.call_id == C::ZERO { Ok(()) } else { Err(Unknown::Number) }
    }
}
