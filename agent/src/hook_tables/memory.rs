//! Native memory that the hooks read: address space, and an arena of records that are never freed.
//!
//! Invariant: memory is zero until it is written and stays mapped for ever, so a racing reader may hold any address of it.

use std::cell::Cell;
use std::hint::black_box;
use std::ptr::null_mut;
use std::sync::{Once, OnceLock};

use crate::support::lock::Lock;

const CHUNK: usize = 1 << 20;

/// Bytes of a page of this system: 4 KiB on x86-64, up to 64 KiB on others.
pub fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    // SAFETY: sysconf reads a constant of the system.
    *PAGE.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(1 << 16))
}

/// Gives whole pages back: they read as zero from then on. Where pages are locked they stay as they are (false).
///
/// # Safety
/// The range is one that [`reserve`] gave, or within it, on borders of pages, and zero means "nothing" to whoever reads it.
pub unsafe fn give_back(address: u64, bytes: usize) -> bool {
    // SAFETY: as this function's own contract.
    unsafe { libc::madvise(address as *mut libc::c_void, bytes, libc::MADV_DONTNEED) == 0 }
}

/// Lets pages of [`reserve_low`] be written. False where there is no memory.
///
/// # Safety
/// The range is one that [`reserve_low`] gave, or within it, on borders of pages.
pub unsafe fn open(address: usize, bytes: usize) -> bool {
    // SAFETY: as this function's own contract.
    unsafe { libc::mprotect(address as *mut libc::c_void, bytes, libc::PROT_READ | libc::PROT_WRITE) == 0 }
}

/// Gives back what the C library's allocator holds and nobody uses: much of what the encoder has made a new version from.
pub fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0)
    };
}

/// So much the C library's heap of a thread grows by at once: less than what it would give back to the system again, 128 KiB.
const STEP: usize = 96 << 10;
/// From so many bytes on it grows by [`MUCH`].
const MANY: usize = 1 << 20;
const MUCH: usize = 2 << 20;

/// Says that the running thread will soon have asked the C library for so many bytes more that stay. The heap of a thread that is not the
/// process's first grows by whole pages and no more than is wanted (glibc, `sysmalloc`), that is by a system call for each class that the JVM
/// keeps as it came. So it is made to grow by many pages, now and then, and by very many where a thread loads very much.
pub fn will_keep(bytes: usize) {
    thread_local!(static KEPT: Cell<(usize, usize)> = const { Cell::new((0, 0)) });
    // More, for other memory comes from there, too: what the heap has grown by must not be used up before it is made to grow again.
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
    // The C library takes what is larger than a limit from the system, and gives the heap's end back that is larger than twice that; who frees
    // something larger raises the limit to it (mallopt(3), M_MMAP_THRESHOLD).
    static LIMIT: Once = Once::new();
    LIMIT.call_once(|| drop(block(2 * MUCH + 2 * page())));
    grow(MUCH)
}

/// Zeroed address space, committed page by page when touched.
pub fn reserve(bytes: usize) -> Option<usize> {
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing that exists.
    unsafe { map(null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, 0) }
}

/// Zeroed address space that may only be read, below 2 GiB where there is room: such an address fits into an instruction. The JVM looks for room
/// for its heap above (`HeapBaseMinAddress`).
pub fn reserve_low(bytes: usize) -> Option<usize> {
    let low = LOW.into_iter().filter(|at| at + bytes <= 1 << 31).find_map(|wanted| {
        // SAFETY: with this flag nothing that exists is replaced.
        let address = unsafe { map(wanted as *mut libc::c_void, bytes, libc::PROT_READ, libc::MAP_FIXED_NOREPLACE) }?;
        if address != wanted {
            // SAFETY: what has just been mapped, by a kernel that takes the address for a wish (before 4.17).
            unsafe { libc::munmap(address as *mut libc::c_void, bytes) };
        }
        (address == wanted).then_some(address)
    });
    // SAFETY: as in `reserve`.
    low.or_else(|| unsafe { map(null_mut(), bytes, libc::PROT_READ, 0) })
}

/// Where room is looked for.
const LOW: [usize; 3] = [0x1000_0000, 0x3000_0000, 0x5000_0000];

/// # Safety
/// As mmap with that protection and these further flags at that address.
unsafe fn map(at: *mut libc::c_void, bytes: usize, protection: libc::c_int, flags: libc::c_int) -> Option<usize> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: as this function's own contract.
    let address = unsafe { libc::mmap(at, bytes, protection, flags, -1, 0) };
    (address != libc::MAP_FAILED).then_some(address as usize)
}

/// A bump allocator.
#[derive(Default)]
pub struct Arena {
    /// Address and length of what is left of the last chunk.
    chunk: Lock<(usize, usize)>,
}

impl Arena {
    /// Zeroed memory, aligned to 32 bytes; `bytes` is at most a megabyte. `None` without memory.
    pub fn allocate(&self, bytes: usize) -> Option<u64> {
        let bytes = bytes.next_multiple_of(32);
        let mut chunk = self.chunk.lock();
        if chunk.1 < bytes {
            *chunk = (reserve(CHUNK)?, CHUNK);
        }
        let address = chunk.0;
        *chunk = (address + bytes, chunk.1 - bytes);
        Some(address as u64)
    }
}

/// Where the mapping stands that an address is in, and what may be done with it, as the system has it (proc(5), `maps`).
#[cfg(test)]
pub fn mapping(address: usize) -> (std::ops::Range<usize>, String) {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let of = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let [start, end] = [start, end].map(|bound| usize::from_str_radix(bound, 16).unwrap());
        Some((start..end, rest[..4].to_string()))
    };
    maps.lines().filter_map(of).find(|mapping| mapping.0.contains(&address)).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads and writes both ends.
    fn is_ours(address: usize, bytes: usize) {
        for at in [address, address + bytes - 1] {
            let byte = at as *mut u8;
            // SAFETY: within what was reserved.
            unsafe {
                assert!(open(at - at % page(), page()));
                assert_eq!(byte.read(), 0);
                byte.write(7);
            }
        }
    }

    #[test]
    #[cfg(target_env = "gnu")]
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
        // By no more than is wanted it grows with most of the blocks, and by small steps alone more than 150 times.
        assert!(few < 16 && many < 48, "{few} {many}");
    }

    #[test]
    fn low_memory_is_low_as_long_as_there_is_some_and_never_given_twice() {
        const BYTES: usize = 512 << 20;
        let given: Vec<usize> = (0..6).map(|_| reserve_low(BYTES).unwrap()).collect();
        assert!(given[0] < 1 << 31, "{given:x?}");
        assert!(given[5] > 1 << 31, "{given:x?}");
        given.iter().for_each(|&address| is_ours(address, BYTES));
    }
}
