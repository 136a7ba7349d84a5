//! The entries of the catalogue: classes, methods, sites.
//!
//! Invariant: an entry never changes, but for the sites that walks meet in a method.

use std::sync::Arc;

use lucce_classfile::{BciMap, LineTable, SiteKind};
use lucce_words::{Bci, ClassId, MethodId, SiteId};

use crate::lock::Lock;

/// A name of few distinct values, shared.
pub type Name = Arc<str>;

/// One rewritten class.
#[derive(Clone, Debug)]
pub struct ClassEntry {
    /// Internal name.
    pub name: Name,
    /// SourceFile.
    pub source: Option<Name>,
}

/// One hooked method.
#[derive(Debug)]
pub struct MethodEntry {
    /// Its class.
    pub class: ClassId,
    /// The class's internal name.
    pub class_name: Name,
    /// Simple name.
    pub name: Name,
    /// Descriptor.
    pub desc: Name,
    /// Access flags.
    pub access: u16,
    /// Does it cross HotSpot's compile limit?
    pub huge: bool,
    /// Does its normal exit store UNKNOWN?
    pub risky_exit: bool,
    /// Of the rewritten code: what the JVM runs must have the same, or another agent has changed it after us.
    pub skeleton: u64,
    /// The local that holds its word.
    pub word_local: u16,
    /// Rewritten to original bytecode indices.
    pub map: BciMap,
    /// Lines by original bytecode index.
    pub lines: LineTable,
    /// Its sites by original bytecode index: those of the rewriter, sorted, and those that walks met.
    pub(super) sites: Vec<(Bci, SiteId)>,
    pub(super) met: Lock<Vec<(Bci, SiteId)>>,
}

impl MethodEntry {
    /// Is it `<init>`?
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// Its sites, those that walks met included.
    pub fn all_sites(&self) -> Vec<SiteId> {
        self.sites.iter().chain(self.met.lock().iter()).map(|&(_, site)| site).collect()
    }

    /// What is needed to name it, for captured contexts that lead through it after it was unloaded.
    pub(super) fn name_only(&self) -> Self {
        Self {
            class: self.class,
            class_name: self.class_name.clone(),
            name: self.name.clone(),
            desc: self.desc.clone(),
            access: self.access,
            huge: self.huge,
            risky_exit: self.risky_exit,
            skeleton: self.skeleton,
            word_local: self.word_local,
            map: BciMap::default(),
            lines: LineTable::default(),
            sites: Vec::new(),
            met: Lock::default(),
        }
    }
}

/// What a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An instruction the rewriter published.
    Published(SiteKind),
    /// An instruction met by a walk only.
    Met,
}

/// One site.
#[derive(Clone, Debug)]
pub struct SiteEntry {
    /// Its method.
    pub method: MethodId,
    /// Its original bytecode index.
    pub bci: Bci,
    /// Its line.
    pub line: Option<u16>,
    /// What it is.
    pub place: Place,
    /// What it names: owner, name, descriptor; empty for sites that walks met.
    pub owner: Name,
    /// See `owner`.
    pub name: Name,
    /// See `owner`.
    pub desc: Name,
}

impl SiteEntry {
    /// Is it a constructor's call of `super(...)` or `this(...)`? No handler of its own watches that, so an exception out of it ends the
    /// constructor unseen.
    pub fn is_weak(&self) -> bool {
        self.place == Place::Published(SiteKind::WeakInit)
    }

    /// May what was published here be a constructor's that has ended, when `callee` is entered? Not if it is a constructor of the class named.
    pub fn is_doubtful_for(&self, callee: &MethodEntry) -> bool {
        self.is_weak() && !(callee.is_constructor() && *self.owner == *callee.class_name)
    }
}
