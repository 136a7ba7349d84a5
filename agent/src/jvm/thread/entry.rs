//! One entry of a thread's shadow stack, as the hooks store it.
//! Source: layout in docs/design/thread-state.md.

use lucce_encoding::ShadowEntry;
use lucce_words::{Lost, MethodId, NodeId, SiteId, Version, Word};

pub use crate::hook_tables::shadow_stack::ENTRY;
use crate::hook_tables::shadow_stack::{CALL, NODE, WORD};

/// No method: ids do not grow so far.
const NOBODY: MethodId = MethodId(0x7fff_ffff);
/// Flag in the high half of an entry's last long: the other bits are no version but the depth that
/// the oracle has confirmed. A push clears it.
pub(super) const CONFIRMED: u32 = 1 << 31;

/// A shadow stack entry as the hooks store it, with the captured node of its caller context.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What the decoder needs.
    pub shadow: ShadowEntry,
    /// The pushed activation's own word.
    pub word: Word,
    /// The captured node of `(ctx, site)` with the shadow stack below; 0 if not known yet.
    pub node: NodeId,
    /// Frames from the pushed activation to the thread base, itself included, if the oracle has
    /// confirmed them all; else 0.
    pub confirmed: u32,
    /// The version of `ctx` where the word does not hold it (Algorithm 1), else 0.
    pub version: Version,
}

impl Entry {
    /// The entry of a pushed activation.
    pub fn pushed(ctx: Word, site: SiteId, method: MethodId, word: Word, cut: bool) -> Self {
        Self::new(ShadowEntry { ctx, site, cut, method, barrier: false }, word)
    }

    /// An entry that decoding skips and that restores to UNKNOWN.
    pub fn barrier() -> Self {
        let shadow =
            ShadowEntry { ctx: Word::NONE, site: SiteId::UNKNOWN, cut: false, method: MethodId::ROOT, barrier: true };
        Self::new(shadow, Word::NONE)
    }

    /// An entry that no activation owns, so that decoding ends there, and that restores to UNKNOWN.
    pub fn dropped() -> Self {
        Self::pushed(Word::lost(Lost::Dropped), SiteId::UNKNOWN, NOBODY, Word::lost(Lost::Dropped), true)
    }

    /// Is it such a one?
    pub fn is_dropped(&self) -> bool {
        self.shadow.method == NOBODY
    }

    fn new(shadow: ShadowEntry, word: Word) -> Self {
        Self { shadow, word, node: NodeId(0), confirmed: 0, version: Version(0) }
    }

    pub(super) fn from_longs(longs: &[i64]) -> Self {
        let info = longs[CALL] as u64;
        let method = MethodId((info >> 32 & 0x7fff_ffff) as u32);
        let site = SiteId(info as u32);
        let shadow = ShadowEntry {
            ctx: Word(longs[0] as u64),
            site,
            cut: info >> 63 != 0,
            method,
            barrier: method == MethodId::ROOT && site == SiteId::UNKNOWN,
        };
        let high = (longs[NODE] as u64 >> 32) as u32;
        let (version, confirmed) = if high & CONFIRMED == 0 { (high, 0) } else { (0, high & !CONFIRMED) };
        let (node, version) = (NodeId(longs[NODE] as u32), Version(version));
        Self { shadow, word: Word(longs[WORD] as u64), node, confirmed, version }
    }

    pub(super) fn to_longs(self) -> [i64; ENTRY] {
        let info = (self.shadow.cut as u64) << 63 | (self.shadow.method.0 as u64) << 32 | self.shadow.site.0 as u64;
        let last = (self.version.0 as u64) << 32 | self.node.0 as u64;
        [self.shadow.ctx.0 as i64, info as i64, self.word.0 as i64, last as i64]
    }
}
