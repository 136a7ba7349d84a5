//! One link, as the hooks read it and as it is published.
//!
//! Invariant: a record is filled before its address is published, and then does not change but for
//! its use counter, which the hooks count, `len` (once, to match nothing), its ends (once, to be
//! nothing), and all of it to zero when its page is given back. Readers may look at it all the
//! while, so every field is atomic.
//! Source: layout in docs/design/link-tables.md, which `LucceLayout` tells the hooks.

use lucce_words::{MethodId, SiteId, Value};

use crate::sync::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering, fence};

/// Added to what is compared, so that one signed compare tests a range.
const BIAS: u64 = 1 << 63;
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

/// One link record. Memory that is zero is one that is nothing.
#[derive(Debug, Default)]
#[repr(C)]
pub struct LinkRecord {
    pub(crate) callee: AtomicI32,
    pub(crate) site: AtomicI32,
    pub(crate) lo: AtomicU64,
    pub(crate) len: AtomicI64,
    pub(crate) av: AtomicU64,
    pub(crate) next: AtomicU64,
    pub(crate) kind: AtomicI32,
    pub(crate) uses: AtomicU32,
    /// The link's [`Value`], or 0. Not read by the hooks.
    pub(crate) value: AtomicI64,
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
    /// The record at an address.
    ///
    /// # Safety
    /// The address is that of a record, or of zeroed memory for one, which stays mapped for ever.
    pub(super) unsafe fn at<'r>(address: u64) -> &'r Self {
        // SAFETY: as this function's own contract; all fields are atomic, and zero is a value of
        // each.
        unsafe { &*(address as *const Self) }
    }

    /// Makes the record one of a link, with the next of its bucket. Nobody knows its address yet:
    /// who publishes it lets all this be seen.
    pub(super) fn fill(&self, link: &NewLink, next: u64) {
        let callee = link.callee.0 as i32;
        self.callee.store(if link.kind == RecordKind::Plain { callee } else { !callee }, Ordering::Relaxed);
        self.site.store(link.site.0 as i32, Ordering::Relaxed);
        self.lo.store(link.lo.wrapping_add(BIAS), Ordering::Relaxed);
        self.len.store(link.len.wrapping_add(BIAS) as i64, Ordering::Relaxed);
        self.av.store(link.av, Ordering::Relaxed);
        self.next.store(next, Ordering::Relaxed);
        self.kind.store(link.kind as i32, Ordering::Relaxed);
        self.value.store(link.value.map_or(0, |value| value.0), Ordering::Relaxed);
    }

    pub(crate) fn ends(&self) -> (SiteId, MethodId) {
        let callee = self.callee.load(Ordering::Relaxed);
        (SiteId(self.site.load(Ordering::Relaxed) as u32), MethodId(if callee < 0 { !callee } else { callee } as u32))
    }

    /// The first caller word that it holds for, and how many.
    pub(super) fn words(&self) -> (u64, u64) {
        let (lo, len) = (self.lo.load(Ordering::Relaxed), self.len.load(Ordering::Relaxed) as u64);
        (lo.wrapping_sub(BIAS), len.wrapping_sub(BIAS))
    }

    /// Is it the record of that call, for a caller with that word? What the hooks ask.
    pub(crate) fn holds(&self, site: SiteId, callee: MethodId, ctx: u64) -> bool {
        let ahead = || ctx.wrapping_sub(self.lo.load(Ordering::Relaxed)) as i64;
        self.ends() == (site, callee) && ahead() < self.len.load(Ordering::Relaxed)
    }

    /// What it says, the kind and the addition value, if it is a record still: it may become
    /// nothing, and its page zero, while it is read.
    pub(crate) fn read(&self) -> Option<(i32, u64)> {
        let (kind, av) = (self.kind.load(Ordering::Relaxed), self.av.load(Ordering::Relaxed));
        // Whatever was read before is of what the record is now.
        fence(Ordering::Acquire);
        (!self.is_nothing()).then_some((kind, av))
    }

    /// The value that tells the same, of a link that can be found by it still.
    pub(super) fn value(&self) -> Option<Value> {
        let value = self.value.load(Ordering::Relaxed);
        let usable = value != 0 && !self.is_nothing() && self.len.load(Ordering::Relaxed) != i64::MIN;
        usable.then_some(Value(value))
    }

    /// Never filled, or not to be found any more.
    pub(super) fn is_nothing(&self) -> bool {
        self.callee.load(Ordering::Relaxed) == 0
    }

    /// Matches no caller's word from now on.
    pub(super) fn match_nothing(&self) {
        self.len.store(i64::MIN, Ordering::Release);
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
        let (kind, av) = (other.kind.load(Ordering::Relaxed), other.av.load(Ordering::Relaxed));
        other.ends() == (self.site, self.callee)
            && (kind, av) == (self.kind as i32, self.av)
            && lo.checked_sub(self.lo).is_some_and(|ahead| ahead.checked_add(len).is_some_and(|end| end <= self.len))
    }
}
