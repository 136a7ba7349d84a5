//! The same for Miri, which has no mmap with all these flags and no madvise: from the allocator,
//! and zeroed as plain bytes.
//!
//! Invariant: as that of [`super`]; nothing is ever freed. Every byte may be written, for Miri has
//! no protection of pages.

use std::alloc::{Layout, alloc_zeroed};

/// Bytes of a page.
pub fn page() -> usize {
    1 << 12
}

/// Gives whole pages back: they read as zero from then on.
///
/// # Safety
/// As for the kernel's pages; but nobody reads or writes the range meanwhile, for Miri would call
/// that a race (`tests/protocols` has it).
pub unsafe fn give_back(address: u64, bytes: usize) -> bool {
    // SAFETY: as this function's own contract.
    unsafe { (address as *mut u8).write_bytes(0, bytes) };
    true
}

/// All may be written as it is.
///
/// # Safety
/// None.
pub unsafe fn open(_: usize, _: usize) -> bool {
    true
}

/// Zeroed memory.
pub fn reserve(bytes: usize) -> Option<usize> {
    let layout = Layout::from_size_align(bytes, page()).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not of size 0.
    let memory = unsafe { alloc_zeroed(layout) };
    (!memory.is_null()).then(|| memory.expose_provenance())
}

/// The same: Miri's addresses are as they come.
pub fn reserve_low(bytes: usize) -> Option<usize> {
    reserve(bytes)
}
