//! The hash of a walked path: what each of its activations has published, if nothing went wrong.
//!
//! Invariant: an *odd* entry is that of a constructor by what does not name it. Its base is one of
//! no other entry's; but from its call of `super(...)` on, the path is not trusted: no handler
//! watches that instruction, so what was published there may be left behind by an exception, where
//! other code without hooks calls.
//! Source: docs/design/hashed-words.md.

use lucce_words::hashed::ROOT;
use lucce_words::{MethodId, SiteId};

use crate::encode::walk;
use crate::stack::frames::Frame;
use crate::state::catalog::{MethodEntry, SiteEntry};
use crate::state::classes::Classes;

use super::weights::{Weights, calls_constructor};

/// An activation of a path.
pub struct PathStep {
    /// Where it stands.
    pub site: SiteId,
    /// Whose activation it is.
    pub method: MethodId,
    /// What it has published there.
    pub published: u64,
}

/// A walked path, outermost activation first.
pub struct Path {
    /// Its activations.
    pub steps: Vec<PathStep>,
    /// How many of them, from the thread base on, are trusted.
    trusted: usize,
}

impl Path {
    /// The path of a stack whose innermost frame is `stack[0]`; `None` where a frame cannot be
    /// placed.
    pub fn of(classes: &Classes, weights: &Weights, stack: &[Frame]) -> Option<Self> {
        let mut path = Self { steps: Vec::with_capacity(stack.len()), trusted: 0 };
        let placed = walk::placed(classes, stack)?;
        let sites = classes.catalog.sites(placed.iter().map(|(at, _)| at.site))?;
        let mut below = None;
        for ((at, method), site) in placed.iter().zip(&sites).rev() {
            path.push(weights, below, method, (at.site, site));
            below = Some(site);
        }
        Some(path)
    }

    /// One more activation on top, which stands at that site.
    pub fn push(
        &mut self,
        weights: &Weights,
        below: Option<&SiteEntry>,
        method: &MethodEntry,
        (id, site): (SiteId, &SiteEntry),
    ) {
        let base = weights.entered_with(method, self.published());
        let trusted = self.trusted == self.steps.len() && !(site.is_weak() && is_odd(below, method));
        self.steps.push(PathStep {
            site: id,
            method: site.method,
            published: weights.published(base, method, (id, site)),
        });
        self.trusted += usize::from(trusted);
    }

    /// What was published last; nothing at the thread base.
    pub fn published(&self) -> u64 {
        self.steps.last().map_or(ROOT, |step| step.published)
    }

    /// The activations that are trusted.
    pub fn trusted(&self) -> &[PathStep] {
        &self.steps[..self.trusted]
    }

    /// The base of an activation of `callee` on top of the path; `None` if the path is not trusted.
    pub fn base_of(&self, classes: &Classes, weights: &Weights, callee: MethodId) -> Option<u64> {
        let callee = classes.catalog.method(callee).filter(|_| self.trusted == self.steps.len())?;
        Some(weights.entered_with(&callee, self.published()))
    }
}

/// The calls that have led to these activations, outermost first, the first of them at `from`.
pub fn calls<'s>(mut from: SiteId, steps: impl Iterator<Item = &'s PathStep>) -> Vec<(SiteId, MethodId)> {
    steps.map(|step| (std::mem::replace(&mut from, step.site), step.method)).collect()
}

/// Is it a constructor that is entered from what does not name it?
pub fn is_odd(from: Option<&SiteEntry>, method: &MethodEntry) -> bool {
    let names = |site: &SiteEntry| {
        calls_constructor(site)
            && (site.member.owner(), site.member.desc()) == (method.member.owner(), method.member.desc())
    };
    method.is_constructor() && !from.is_some_and(names)
}
