//! One link, as the hooks read it and as it is published.
//!
//! Invariant: a record does not change but for its use counter, `len` (once, to match nothing) and its ends (once, to be nothing).
//! Source: layout in docs/design/link-tables.md, mirrored in `LucceLinks`.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering};

use lucce_words::{MethodId, SiteId, Value};

/// Added to what is compared, so that one signed compare tests a range.
pub(super) const BIAS: u64 = 1 << 63;
/// Bytes from one record to the next.
pub(super) const RECORD: usize = size_of::<LinkRecord>().next_multiple_of(32);

/// What a link does, as the hooks read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum RecordKind {
    /// `word = ctx + av`, nothing stored.
    Plain = 0,
    /// `word = ctx + av`, pushed.
    Restoring = 1,
    /// The word itself, pushed as a cut entry.
    Cut = 2,
    /// `word = ctx + av`, not pushed although it restores: constructors.
    Constructor = 3,
}

/// One link record.
#[repr(C)]
pub struct LinkRecord {
    pub(super) callee: AtomicI32,
    pub(super) site: AtomicI32,
    pub(super) lo: u64,
    pub(super) len: AtomicI64,
    pub(super) av: u64,
    pub(super) next: AtomicU64,
    pub(super) kind: i32,
    pub(super) uses: u32,
    /// The link's [`Value`], or 0. Not read by the hooks.
    pub(super) value: i64,
}

/// A link to publish.
pub struct NewLink {
    /// Its site.
    pub site: SiteId,
    /// Its callee.
    pub callee: MethodId,
    /// First caller word it holds for.
    pub lo: u64,
    /// How many caller words it holds for.
    pub len: u64,
    /// The addition value, or the word of a cut link.
    pub av: u64,
    /// What it does.
    pub kind: RecordKind,
    /// The same in one number, if it leads from the caller's whole block into the callee's.
    pub value: Option<Value>,
}

impl LinkRecord {
    pub(super) fn ends(&self) -> (SiteId, MethodId) {
        let callee = self.callee.load(Ordering::Relaxed);
        (SiteId(self.site.load(Ordering::Relaxed) as u32), MethodId(if callee < 0 { !callee } else { callee } as u32))
    }

    /// The first caller word that it holds for, and how many.
    pub(super) fn words(&self) -> (u64, u64) {
        (self.lo.wrapping_sub(BIAS), (self.len.load(Ordering::Relaxed) as u64).wrapping_sub(BIAS))
    }

    /// Never written, or not to be found any more.
    pub(super) fn is_nothing(&self) -> bool {
        self.callee.load(Ordering::Relaxed) == 0
    }

    /// Matches nothing from now on.
    pub(super) fn become_nothing(&self) {
        self.site.store(0, Ordering::Relaxed);
        self.callee.store(0, Ordering::Release);
    }
}

impl NewLink {
    /// Does it say all that the record says?
    pub(super) fn includes(&self, other: &LinkRecord) -> bool {
        let (lo, len) = other.words();
        other.ends() == (self.site, self.callee)
            && (other.kind, other.av) == (self.kind as i32, self.av)
            && lo.checked_sub(self.lo).is_some_and(|ahead| ahead.checked_add(len).is_some_and(|end| end <= self.len))
    }
}
