//! Address space from the kernel.
//!
//! Invariant: a mapping is never taken away again; given back are its pages alone, and those read
//! as zero.
//! Source: mmap(2), mprotect(2), madvise(2) ("MADV_DONTNEED").

use std::ptr::null_mut;
use std::sync::OnceLock;

/// Bytes of a page of this system: 4 KiB on x86-64, up to 64 KiB on others.
pub fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    // SAFETY: sysconf reads a constant of the system.
    *PAGE.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(1 << 16))
}

/// Gives whole pages back: they read as zero from then on. Where pages are locked they stay as they
/// are (false).
///
/// # Safety
/// The range is one that [`reserve`] gave, or within it, on borders of pages, and zero means
/// "nothing" to whoever reads it.
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

/// Zeroed address space, committed page by page when touched.
pub fn reserve(bytes: usize) -> Option<usize> {
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing that
    // exists.
    unsafe { map(null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, 0) }
}

/// Zeroed address space that may only be read, below 2 GiB where there is room: such an address
/// fits into an instruction. The JVM looks for room for its heap above (`HeapBaseMinAddress`).
pub fn reserve_low(bytes: usize) -> Option<usize> {
    let low = LOW.into_iter().filter(|at| at + bytes <= 1 << 31).find_map(|wanted| {
        // SAFETY: with this flag nothing that exists is replaced.
        let address = unsafe { map(wanted as *mut libc::c_void, bytes, libc::PROT_READ, libc::MAP_FIXED_NOREPLACE) }?;
        if address != wanted {
            // SAFETY: what has just been mapped, by a kernel that takes the address for a wish
            // (before 4.17).
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
    (address != libc::MAP_FAILED).then(|| address.expose_provenance())
}

/// Where the mapping stands that an address is in, and what may be done with it, as the system has
/// it (proc(5), `maps`).
#[cfg(test)]
pub(crate) fn mapping(address: usize) -> (std::ops::Range<usize>, String) {
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
    fn low_memory_is_low_as_long_as_there_is_some_and_never_given_twice() {
        const BYTES: usize = 512 << 20;
        let given: Vec<usize> = (0..6).map(|_| reserve_low(BYTES).unwrap()).collect();
        assert!(given[0] < 1 << 31, "{given:x?}");
        assert!(given[5] > 1 << 31, "{given:x?}");
        given.iter().for_each(|&address| is_ours(address, BYTES));
    }
}
