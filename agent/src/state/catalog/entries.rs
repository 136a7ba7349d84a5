//! The entries of the catalogue: classes, methods, sites.
//!
//! Invariant: an entry never changes, but for the sites that walks meet in a method.

use std::sync::Arc;

use lucce_classfile::{BciMap, LineTable, SiteKind};
use lucce_words::{Bci, ClassId, MethodId, SiteId};

use super::names::{Member, TextRange, append};
use crate::support::lock::Lock;

/// One rewritten class.
#[derive(Clone, Debug)]
pub struct ClassEntry {
    pub(super) text: Arc<str>,
    pub(super) name: TextRange,
    pub(super) source: Option<TextRange>,
}

impl ClassEntry {
    /// The same, with a text of its own.
    pub(super) fn alone(&self) -> Self {
        let mut text = String::new();
        let mut part = |name: &str| append(&mut text, name);
        let (name, source) = (part(self.name()), self.source().map(part));
        Self { text: text.into(), name, source }
    }

    /// Internal name.
    pub fn name(&self) -> &str {
        self.name.of(&self.text)
    }

    /// SourceFile.
    pub fn source(&self) -> Option<&str> {
        self.source.map(|source| source.of(&self.text))
    }
}

/// One hooked method.
#[derive(Debug)]
pub struct MethodEntry {
    /// Its class.
    pub class: ClassId,
    /// How it is named.
    pub member: Member,
    /// Access flags.
    pub access: u16,
    /// Does it cross HotSpot's compile limit?
    pub huge: bool,
    /// Does its normal exit store UNKNOWN?
    pub interposable_exit: bool,
    /// Of the rewritten code: what the JVM runs must have the same, or another agent has changed it
    /// after us.
    pub opcode_hash: u64,
    /// The local that holds its word.
    pub word_local: u16,
    /// What it adds to a computed word at its entry.
    pub weight: u64,
    /// Rewritten to original bytecode indices.
    pub map: BciMap,
    /// Lines by original bytecode index.
    pub lines: LineTable,
    /// Its sites by original bytecode index: those of the rewriter, sorted, and those that walks
    /// met.
    pub(super) sites: Vec<(Bci, SiteId)>,
    pub(super) met: Lock<Vec<(Bci, SiteId)>>,
}

impl MethodEntry {
    /// Is it `<init>`?
    pub fn is_constructor(&self) -> bool {
        self.member.name() == "<init>"
    }

    /// Has it native code in place of Java's?
    pub fn is_native(&self) -> bool {
        self.access & NATIVE != 0
    }

    /// The index in the code as it came where a frame at this location stands: 0 in a native
    /// method, which has no code. `None` where the location is not known.
    pub fn original(&self, location: i64) -> Option<Bci> {
        if self.is_native() && location == -1 {
            return Some(Bci(0));
        }
        Some(self.map.original(u32::try_from(location).ok()?))
    }

    /// Its sites, those that walks met included.
    pub fn all_sites(&self) -> Vec<SiteId> {
        self.sites.iter().chain(self.met.lock().iter()).map(|&(_, site)| site).collect()
    }

    /// What is needed to name it, for captured contexts that lead through it after it was unloaded.
    pub(super) fn name_only(&self) -> Self {
        Self {
            class: self.class,
            member: self.member.alone(),
            access: self.access,
            huge: self.huge,
            interposable_exit: self.interposable_exit,
            opcode_hash: self.opcode_hash,
            word_local: self.word_local,
            weight: self.weight,
            map: BciMap::default(),
            lines: LineTable::default(),
            sites: Vec::new(),
            met: Lock::default(),
        }
    }
}

/// ACC_NATIVE (JVMS 4.6).
const NATIVE: u16 = 0x0100;

/// What a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteRole {
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
    pub role: SiteRole,
    /// What it names; nothing for sites that walks met.
    pub member: Member,
}

impl SiteEntry {
    /// The same, named by a text of its own.
    pub(super) fn alone(&self) -> Self {
        Self { member: self.member.alone(), ..*self }
    }

    /// Is it a constructor's call of `super(...)` or `this(...)`? No handler of its own watches
    /// that, so an exception out of it ends the constructor unseen.
    pub fn is_weak(&self) -> bool {
        self.role == SiteRole::Published(SiteKind::WeakInit)
    }

    /// May what was published here be a constructor's that has ended, when `callee` is entered? Not
    /// if it is a constructor of the class named.
    pub fn is_doubtful_for(&self, callee: &MethodEntry) -> bool {
        self.is_weak() && !(callee.is_constructor() && self.member.owner() == callee.member.owner())
    }
}
