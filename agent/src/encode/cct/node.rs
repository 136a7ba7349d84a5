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
//! Invariant: key (but for bit 63) and parent are written before the node can be found. Mirrored in `LucceTree`.

use std::ptr::from_ref;
use std::sync::atomic::{AtomicU64, Ordering};

use lucce_encoding::{Decoded, End, Frame};
use lucce_words::{MethodId, NUMBER_BITS, SiteId, Version, Word};

/// Bit of a key: not plain, or not decided.
pub(super) const ASK: u64 = 1 << 63;
/// The version of all words: the one bit of it that tells a node.
const VERSION: Version = Version(1 << 7);

/// One context.
#[repr(C, align(32))]
pub(super) struct Node {
    pub(super) key: AtomicU64,
    parent: u64,
    pub(super) next: AtomicU64,
    pub(super) edge: AtomicU64,
    slots: [AtomicU64; 8],
}

impl Node {
    /// The child of `parent` by the call `key`, not decided; a root without one. `nothing` fills its slots.
    pub(super) fn new(parent: Option<&'static Self>, key: u64, nothing: u64) -> Self {
        Self {
            key: AtomicU64::new(key | ASK),
            parent: parent.map_or(0, Self::address),
            next: AtomicU64::new(0),
            edge: AtomicU64::new(0),
            slots: std::array::from_fn(|_| AtomicU64::new(nothing)),
        }
    }

    pub(super) fn address(&'static self) -> u64 {
        from_ref(self) as u64
    }

    /// The word of its activations.
    pub(super) fn word(&'static self) -> Word {
        const {
            assert!(NUMBER_BITS >= 48 - SHIFT);
            // `LucceTree.NODE`.
            assert!(Word::new(VERSION, false, 0).0 == 1 << 62);
        };
        Word::new(VERSION, false, self.address() >> SHIFT)
    }

    /// The call that leads here.
    pub(super) fn call(&self) -> (SiteId, MethodId) {
        let key = self.key.load(Ordering::Relaxed) & !ASK;
        (SiteId((key >> 32) as u32), MethodId(key as u32))
    }

    /// Is it the child of `parent` by this call?
    pub(super) fn is(&self, parent: &'static Self, key: u64) -> bool {
        self.parent == parent.address() && self.key.load(Ordering::Relaxed) & !ASK == key
    }

    /// Was it made, or is it memory that a later node will take?
    pub(super) fn is_made(&self) -> bool {
        self.key.load(Ordering::Acquire) != 0
    }

    /// `None` for a root.
    pub(super) fn parent(&self) -> Option<&'static Self> {
        // SAFETY: a parent is the address of a node, and nodes are never freed.
        (self.parent != 0).then(|| unsafe { at(self.parent) })
    }

    /// Its frames.
    pub(super) fn decode(&'static self) -> Decoded {
        let mut frames = Vec::new();
        let (mut node, mut site) = (self, None);
        while let Some(parent) = node.parent() {
            let (from, method) = node.call();
            frames.push(Frame { method, site });
            (node, site) = (parent, Some(from));
        }
        Decoded { frames, end: End::Root }
    }
}

/// Nodes stand at multiples of this power of two, and their words have no more than the rest.
const SHIFT: u32 = 4;

/// Where the node of a word is, if there is one.
pub(super) fn address_of(word: Word) -> u64 {
    word.number() << SHIFT
}

/// The node of a word that the hooks or the agent made.
pub(super) fn of(word: Word) -> Option<&'static Node> {
    // SAFETY: only Node::word makes words of that version.
    (word.version() == VERSION).then(|| unsafe { at(address_of(word)) })
}

/// The node at an address.
///
/// # Safety
/// The address is that of a node.
pub(super) unsafe fn at(address: u64) -> &'static Node {
    // SAFETY: as this function's own contract; nodes are never freed.
    unsafe { &*(address as *const Node) }
}
