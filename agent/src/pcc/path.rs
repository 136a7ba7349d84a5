//! The hash of a walked path: what each of its activations has published, if nothing went wrong.
//!
//! Invariant: the steps are those of the rewritten code. An *odd* entry is that of a constructor by what does not name it. Its base is one of no
//! other entry's; but from its call of `super(...)` on, the path is not trusted: no handler watches that instruction, so what was published there
//! may be left behind by an exception, where other code without hooks calls.
//! Source: `lucce_words::hashed`; docs/design/hashed-words.md.

use lucce_words::hashed::{ROOT, constructor, published};
use lucce_words::{MethodId, SiteId};

use crate::agent::Agent;
use crate::catalog::{Member, MethodEntry, Place, SiteEntry};
use crate::frames::Frame;
use crate::walk;

/// An activation of a path.
pub struct Step {
    /// Where it stands.
    pub site: SiteId,
    /// What it has published there.
    pub published: u64,
}

/// A walked path, outermost activation first.
pub struct Path {
    /// Its activations.
    pub steps: Vec<Step>,
    /// How many of them, from the thread base on, are trusted.
    trusted: usize,
}

impl Path {
    /// The path of a stack whose innermost frame is `stack[0]`; `None` where a frame cannot be placed.
    pub fn of(agent: &Agent, stack: &[Frame]) -> Option<Self> {
        let mut path = Self { steps: Vec::with_capacity(stack.len()), trusted: 0 };
        let (mut trusted, mut below) = (true, None);
        for frame in stack.iter().rev() {
            let standing = walk::standing(agent, frame)?;
            let (method, site) = (agent.catalog.method(standing.method)?, agent.catalog.site(standing.site)?);
            let base = entered_with(&method, path.published());
            trusted &= !(site.is_weak() && is_odd(below.as_ref(), &method));
            path.steps.push(Step { site: standing.site, published: published(base, addition(standing.site, &site)) });
            path.trusted += usize::from(trusted);
            below = Some(site);
        }
        Some(path)
    }

    /// What was published last; nothing at the thread base.
    pub fn published(&self) -> u64 {
        self.steps.last().map_or(ROOT, |step| step.published)
    }

    /// The activations that are trusted.
    pub fn trusted(&self) -> &[Step] {
        &self.steps[..self.trusted]
    }

    /// The base of an activation of `callee` on top of the path; `None` if the path is not trusted.
    pub fn base_of(&self, agent: &Agent, callee: MethodId) -> Option<u64> {
        let callee = agent.catalog.method(callee).filter(|_| self.trusted == self.steps.len())?;
        Some(entered_with(&callee, self.published()))
    }
}

/// The base of a method that is entered where that is published.
pub fn entered_with(method: &MethodEntry, published: u64) -> u64 {
    published.wrapping_sub(constant_of(method))
}

/// What was published where a method was entered with this base.
pub fn called_before(method: &MethodEntry, base: u64) -> u64 {
    base.wrapping_add(constant_of(method))
}

/// Is it a constructor that is entered from what does not name it?
pub fn is_odd(from: Option<&SiteEntry>, method: &MethodEntry) -> bool {
    let names = |site: &SiteEntry| {
        calls_constructor(site)
            && (site.member.owner(), site.member.desc()) == (method.member.owner(), method.member.desc())
    };
    method.is_constructor() && !from.is_some_and(names)
}

/// What the instruction at a site adds.
pub fn addition(id: SiteId, site: &SiteEntry) -> u32 {
    id.0 + if calls_constructor(site) { constant(&site.member) } else { 0 }
}

fn calls_constructor(site: &SiteEntry) -> bool {
    matches!(site.place, Place::Published(_)) && site.member.name() == "<init>"
}

fn constant_of(method: &MethodEntry) -> u64 {
    if method.is_constructor() { constant(&method.member).into() } else { 0 }
}

fn constant(member: &Member) -> u32 {
    constructor(member.owner().as_bytes(), member.desc().as_bytes())
}
