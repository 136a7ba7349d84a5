//! A node: one context of one tree; the hooks read it, and its address is the context's word.
//!
//! ```text
//! offset 0   u64 key      site << 32 | callee; bit 63 is set unless the hooks may take it without asking (a plain edge)
//!        8   u64 parent   address; 0 at a root
//!       16   u64 next     the next node of the same plain edge, 0 at the end
//!       24   u64 edge     address of its edge; 0: reached by walks only, so far
//!       32   u64 slots[8] the children met last, as words; slot site & 7
//! word         1 << 62 | address >> 3: a Word with version 2^7, so that a lost word is never taken for one
//! ```
//! Invariant: parent and key (but for bit 63) are written before the node can be found, the key
//! last and with release order, for a word of unknown descent is looked up in memory that its
//! tree's thread may just be filling.

use std::ptr::from_ref;

use lucce_words::{MethodId, NUMBER_BITS, SiteId, Version, Word};

use crate::sync::{AtomicU64, Ordering};

/// Bit of a key: not plain, or not decided.
pub(crate) const ASK: u64 = 1 << 63;
/// The version of all words: the one bit of it that tells a node.
const VERSION: Version = Version(1 << 7);

/// What all words of nodes have set.
pub(crate) const FLAG: u64 = Word::new(VERSION, false, 0).0;
/// How far a word is shifted to be an address: the flag of a word stands below its number.
pub(crate) const WORD_SHIFT: u32 = SHIFT - 1;

/// One context.
#[derive(Debug, Default)]
#[repr(C, align(32))]
pub struct CctNode {
    pub(crate) key: AtomicU64,
    pub(crate) parent: AtomicU64,
    pub(crate) next: AtomicU64,
    pub(crate) edge: AtomicU64,
    pub(crate) slots: [AtomicU64; 8],
}

impl CctNode {
    /// Makes zeroed memory the child of `parent` by the call `key`, not decided; a root without
    /// one. `nothing` fills its slots.
    pub(crate) fn fill(&self, parent: Option<&'static Self>, key: u64, nothing: u64) {
        self.parent.store(parent.map_or(0, Self::address), Ordering::Relaxed);
        self.slots.iter().for_each(|slot| slot.store(nothing, Ordering::Relaxed));
        self.key.store(key | ASK, Ordering::Release);
    }

    /// Its address, as the hooks know it.
    pub fn address(&'static self) -> u64 {
        from_ref(self) as u64
    }

    /// The word of its activations.
    pub fn word(&'static self) -> Word {
        const {
            assert!(NUMBER_BITS >= 48 - SHIFT);
            assert!(FLAG == 1 << 62);
        };
        Word::new(VERSION, false, self.address() >> SHIFT)
    }

    /// The call that leads here.
    pub fn call(&self) -> (SiteId, MethodId) {
        let key = self.key.load(Ordering::Relaxed) & !ASK;
        (SiteId((key >> 32) as u32), MethodId(key as u32))
    }

    /// Is it the child of `parent` by this call?
    pub(super) fn is(&self, parent: &'static Self, key: u64) -> bool {
        self.parent.load(Ordering::Relaxed) == parent.address() && self.key.load(Ordering::Relaxed) & !ASK == key
    }

    /// Was it made, or is it memory that a later node will take?
    pub(super) fn is_made(&self) -> bool {
        self.key.load(Ordering::Acquire) != 0
    }

    /// `None` for a root.
    pub fn parent(&self) -> Option<&'static Self> {
        let parent = self.parent.load(Ordering::Relaxed);
        // SAFETY: a parent is the address of a node, and nodes are never freed.
        (parent != 0).then(|| unsafe { at(parent) })
    }

    /// Has a direct call reached it?
    pub fn has_edge(&self) -> bool {
        self.edge.load(Ordering::Relaxed) != 0
    }
}

/// Nodes stand at multiples of this power of two, and their words have no more than the rest.
const SHIFT: u32 = 4;

/// Where the node of a word is, if there is one.
pub(super) fn address_of(word: Word) -> u64 {
    word.number() << SHIFT
}

/// The node of a word, if it is one's.
///
/// # Safety
/// The hooks or the agent made the word, with trees: then only [`CctNode::word`] makes words of
/// that version.
pub unsafe fn of(word: Word) -> Option<&'static CctNode> {
    // SAFETY: as this function's own contract.
    (word.version() == VERSION).then(|| unsafe { at(address_of(word)) })
}

/// The node at an address.
///
/// # Safety
/// The address is that of a node.
pub unsafe fn at(address: u64) -> &'static CctNode {
    // SAFETY: as this function's own contract; nodes are never freed.
    unsafe { &*(address as *const CctNode) }
}
