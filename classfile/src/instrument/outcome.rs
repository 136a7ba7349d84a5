//! What comes of a class: its new bytes, and what became of each method and site.
//!
//! Invariant: every declared method is there, with hooks or with the reason why it has none.
//! Source: docs/design/mechanisms.md, JVMS 4.6, 4.7.10, 4.7.12.

use crate::{BciMap, LineTable, SkipReason};
use lucce_words::{Bci, ClassId, MethodId, SiteId};
use std::borrow::Cow;
use std::ops::Range;

/// The result of [`crate::instrument()`].
#[derive(Clone, Debug)]
pub struct Instrumented<'a> {
    /// The class file to define.
    pub bytes: Vec<u8>,
    /// Its id.
    pub id: ClassId,
    /// Internal name.
    pub name: &'a [u8],
    /// Internal name of the superclass.
    pub super_name: Option<&'a [u8]>,
    /// The `SourceFile` attribute.
    pub source_file: Option<&'a [u8]>,
    /// Name and descriptor of its methods without hooks before whose calls from this class nothing
    /// is published.
    pub leaf_methods: Vec<(&'a [u8], &'a [u8])>,
    /// Descriptors of its constructors without hooks that those of subclasses may take for leaves.
    pub leaf_constructors: Vec<&'a [u8]>,
    /// Every declared method, in the order of the file.
    pub methods: Vec<MethodOutcome<'a>>,
    /// The sites of all methods, in their order.
    pub sites: Vec<PublishedSite<'a>>,
}

impl<'a> Instrumented<'a> {
    /// The sites of one of its methods, by ascending index.
    pub fn sites_of(&self, method: &MethodOutcome<'_>) -> &[PublishedSite<'a>] {
        &self.sites[method.sites.clone()]
    }
}

/// What became of a method.
#[derive(Clone, Debug)]
pub struct MethodOutcome<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its descriptor.
    pub desc: &'a [u8],
    /// Access flags, JVMS 4.6.
    pub access: u16,
    /// Hooks, none, or why not.
    pub outcome: HookOutcome,
    /// May it be inactive? Then no activation of it is sure to have a word.
    pub is_lazy: bool,
    /// Does every normal exit of a frame that pushed nothing store UNKNOWN? So for interposable
    /// methods and constructors.
    pub interposable_exit: bool,
    /// Where its sites stand in [`Instrumented::sites`], by ascending index; empty without hooks.
    pub sites: Range<usize>,
    /// From the new code to the old.
    pub map: BciMap,
    /// Of the rewritten code, [`crate::opcode_hash()`]; 0 without hooks.
    pub opcode_hash: u64,
    /// The local that holds the word; 0 without hooks.
    pub word_local: u16,
    /// What it adds to a computed word at its entry; 0 without hooks, and where sites' ids are all
    /// that is added.
    pub weight: u64,
    /// Lines of the old code; empty without hooks.
    pub lines: LineTable,
}

/// Has a method hooks?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookOutcome {
    /// Yes.
    Hooked(MethodId),
    /// Yes, and they took the code over 8000 bytes, so HotSpot will not compile it.
    HookedHuge(MethodId),
    /// It calls, initialises and (if that is published) allocates nothing.
    NoHooks,
    /// Abstract or native.
    NoCode,
    /// Left as it was.
    Skipped(SkipReason),
}

/// One published instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedSite<'a> {
    /// Its id.
    pub id: SiteId,
    /// Where it is in the old code.
    pub bci: Bci,
    /// Its source line.
    pub line: Option<u16>,
    /// What kind of instruction it is.
    pub kind: SiteKind,
    /// Class named by the instruction; empty for `invokedynamic`; for an allocation what is
    /// allocated, arrays in descriptor form.
    pub owner: Cow<'a, [u8]>,
    /// Method named by the instruction; empty for allocations.
    pub name: &'a [u8],
    /// Its descriptor; empty for allocations.
    pub desc: &'a [u8],
}

/// The kind of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// `invokestatic`.
    Static,
    /// `invokespecial`, but for [`SiteKind::WeakInit`].
    Special,
    /// `invokevirtual`.
    Virtual,
    /// `invokeinterface`.
    Interface,
    /// `invokedynamic`.
    Dynamic,
    /// A signature-polymorphic method of `MethodHandle` or `VarHandle`.
    Polymorphic,
    /// `super(...)` or `this(...)` in a constructor.
    WeakInit,
    /// `new`, `newarray`, `anewarray`, `multianewarray`.
    Allocation,
    /// `athrow`.
    Throw,
    /// `monitorenter`.
    Monitor,
    /// The beginning of a method whose invocations are counted, where no other site stands.
    Entry,
}
