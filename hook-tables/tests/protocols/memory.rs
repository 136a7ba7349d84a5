//! Native memory of a model: a few pages of two link records, and tables of single words, all of
//! them zero before a thread begins.
//!
//! Invariant: as the kernel's, it is there before any reader has an address of it, and stays. A
//! page that is given back becomes zero word by word, in any order: no reader may count on one.

use std::alloc::{Layout, alloc};
use std::sync::atomic::AtomicUsize;

use crate::links::LinkRecord;
use crate::sync::{AtomicU64, Ordering};

/// Bytes from one record to the next, as `crate::links` has it.
const RECORD: usize = size_of::<LinkRecord>().next_multiple_of(32);
const PAGES: usize = 2;
/// A loom atomic is the number of its state, whatever its type.
const _: () = assert!(size_of::<AtomicU64>() == 8);

pub(crate) const fn page() -> usize {
    2 * RECORD
}

/// A table of zeros.
pub(crate) fn reserve(bytes: usize) -> Option<usize> {
    let words: Box<[AtomicU64]> = (0..bytes / 8).map(|_| AtomicU64::default()).collect();
    Some(Box::leak(words).as_ptr().expose_provenance())
}

/// # Safety
/// A page of an [`Arena`].
pub(crate) unsafe fn give_back(address: u64, bytes: usize) -> bool {
    for record in (address..address + bytes as u64).step_by(RECORD) {
        // SAFETY: the arena has filled its pages with records.
        let record = unsafe { &*(record as *const LinkRecord) };
        record.callee.store(0, Ordering::Relaxed);
        record.site.store(0, Ordering::Relaxed);
        record.lo.store(0, Ordering::Relaxed);
        record.len.store(0, Ordering::Relaxed);
        record.av.store(0, Ordering::Relaxed);
        record.next.store(0, Ordering::Relaxed);
        record.kind.store(0, Ordering::Relaxed);
    }
    true
}

/// Pages of link records.
pub(crate) struct Arena {
    next: AtomicUsize,
    end: usize,
}

impl Default for Arena {
    fn default() -> Self {
        // A page more, for pages begin at multiples of what is no power of two.
        let layout = Layout::from_size_align((PAGES + 1) * page(), align_of::<LinkRecord>()).unwrap();
        // SAFETY: not of size 0.
        let first = unsafe { alloc(layout) }.expose_provenance().next_multiple_of(page());
        for at in (first..first + PAGES * page()).step_by(RECORD) {
            // SAFETY: fresh memory, aligned as a record: a record's size is a multiple of its
            // alignment.
            unsafe { (at as *mut LinkRecord).write(LinkRecord::default()) };
        }
        Self { next: first.into(), end: first + PAGES * page() }
    }
}

impl Arena {
    pub(crate) fn allocate(&self, bytes: usize) -> Option<u64> {
        assert_eq!(bytes, size_of::<LinkRecord>());
        let at = self.next.fetch_add(RECORD, Ordering::Relaxed);
        (at < self.end).then_some(at as u64)
    }
}
