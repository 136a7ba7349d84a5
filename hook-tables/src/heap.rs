//! The C library's heap, in which everything stands that the hooks do not read: how it grows, and
//! what it gives back.
//!
//! Invariant: both are about speed and size alone; where they do nothing, all goes on as before.
//! Source: glibc, malloc/malloc.c (`sysmalloc`); mallopt(3), malloc_trim(3).

use std::cell::Cell;
use std::hint::black_box;
use std::sync::Once;

use crate::memory::page;

/// Gives back what the C library's allocator holds and nobody uses: much of what the encoder has
/// made a new version from.
pub fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0)
    };
}

/// The same, of the end of the running thread's own heap too, once that thread needs nothing any
/// more. The C library gives that end back only where it is larger than a limit, which rises with
/// what the process frees. So it is made a block that is free between others, for those [`trim`]
/// finds.
pub fn trim_own() {
    let mut end: Vec<_> = (0..MUCH / STEP).map_while(|_| block(STEP)).collect();
    let last = end.pop();
    drop(end);
    trim();
    drop(last);
}

/// So much the C library's heap of a thread grows by at once: less than what it would give back to
/// the system again, 128 KiB.
const STEP: usize = 96 << 10;
/// From so many bytes on it grows by [`MUCH`].
const MANY: usize = 1 << 20;
const MUCH: usize = 2 << 20;

/// Says that the running thread will soon have asked the C library for so many bytes more that
/// stay. The heap of a thread that is not the process's first grows by whole pages and no more than
/// is wanted (glibc, `sysmalloc`), that is by a system call for each class that the JVM keeps as it
/// came. So it is made to grow by many pages, now and then, and by very many where a thread loads
/// very much.
pub fn will_keep(bytes: usize) {
    thread_local!(static KEPT: Cell<(usize, usize)> = const { Cell::new((0, 0)) });
    // More, for other memory comes from there, too: what the heap has grown by must not be used up
    // before it is made to grow again.
    let bytes = bytes.saturating_add(bytes / 8);
    let (kept, left) = KEPT.get();
    let left = left.checked_sub(bytes).unwrap_or_else(|| {
        let grown = if kept < MANY { grow(STEP) } else { grow_by_much() };
        // Where there is no memory the JVM will say so.
        grown.unwrap_or(STEP).saturating_sub(bytes)
    });
    KEPT.set((kept.saturating_add(bytes), left));
}

/// A block from the C library; `None` if it has none.
fn block(bytes: usize) -> Option<Vec<u8>> {
    let mut block = Vec::new();
    block.try_reserve_exact(bytes).ok()?;
    Some(black_box(block))
}

/// Has the end of the heap so many bytes.
fn grow(bytes: usize) -> Option<usize> {
    block(bytes).map(|_| bytes)
}

/// Has the end of the heap [`MUCH`], which the C library must not give back at once.
fn grow_by_much() -> Option<usize> {
    // The C library takes what is larger than a limit from the system, and gives the heap's end
    // back that is larger than twice that; who frees something larger raises the limit to it
    // (mallopt(3), M_MMAP_THRESHOLD).
    static LIMIT: Once = Once::new();
    LIMIT.call_once(|| drop(block(2 * MUCH + 2 * page())));
    grow(MUCH)
}

#[cfg(test)]
#[cfg(all(target_env = "gnu", not(miri)))]
mod tests {
    use super::*;
    use crate::memory::mapping;

    #[test]
    fn the_heap_of_who_keeps_much_grows_seldom() {
        let keep = |bytes: usize| {
            let mut kept = Vec::with_capacity(bytes / 4096);
            let mut ends = std::collections::HashSet::new();
            for _ in 0..bytes / 4096 {
                will_keep(4096);
                let block = black_box(vec![1_u8; 4096]);
                ends.insert(mapping(block.as_ptr().addr()).0.end);
                kept.push(block);
            }
            ends.len()
        };
        let times = |bytes| std::thread::spawn(move || keep(bytes)).join().unwrap();
        let (few, many) = (times(MANY / 2), times(8 * MUCH));
        // By no more than is wanted it grows with most of the blocks, and by small steps alone more
        // than 150 times.
        assert!(few < 16 && many < 48, "{few} {many}");
    }

    /// Bytes in memory of the mapping that the address is in.
    fn resident(address: usize) -> usize {
        let range = mapping(address).0;
        let mut pages = vec![0_u8; range.len() / page()];
        // SAFETY: a mapping of this process, with a byte for each of its pages.
        let code = unsafe { libc::mincore(range.start as *mut libc::c_void, range.len(), pages.as_mut_ptr()) };
        assert_eq!(code, 0, "{}", std::io::Error::last_os_error());
        pages.iter().filter(|&&state| state & 1 != 0).count() * page()
    }

    #[test]
    fn a_thread_that_needs_nothing_any_more_gives_back_the_end_of_its_heap() {
        let used = || {
            // From then on the C library keeps what is freed below.
            drop(block(2 * MUCH + 2 * page()));
            let blocks: Vec<Vec<u8>> = (0..MANY / STEP).map(|_| black_box(vec![1; STEP])).collect();
            let first = blocks[0].as_ptr().addr();
            drop(blocks);
            let before = resident(first);
            trim_own();
            (before, resident(first))
        };
        let (before, after) = std::thread::spawn(used).join().unwrap();
        assert!(before > MANY - STEP && after < MANY / 4, "{before} {after}");
    }
}
