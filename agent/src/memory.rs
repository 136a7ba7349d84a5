//! Native memory that the hooks read: address space, and an arena of records that are never freed.
//!
//! Invariant: memory is zero until it is written and stays mapped for ever, so a racing reader may hold any address of it.

use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::lock::Lock;

const CHUNK: usize = 1 << 20;

/// Bytes of a page of this system: 4 KiB on x86-64, up to 64 KiB on others.
pub fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    // SAFETY: sysconf reads a constant of the system.
    *PAGE.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(1 << 16))
}

/// Gives whole pages back: they read as zero from then on.
///
/// # Safety
/// The range is one that [`reserve`] gave, or within it, on borders of pages, and zero means "nothing" to whoever reads it.
pub unsafe fn give_back(address: u64, bytes: usize) {
    // SAFETY: as this function's own contract.
    unsafe { libc::madvise(address as *mut libc::c_void, bytes, libc::MADV_DONTNEED) };
}

/// Gives back what the C library's allocator holds and nobody uses: much of what the encoder has made a new version from.
pub fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0)
    };
}

/// Zeroed address space, committed page by page when touched.
pub fn reserve(bytes: usize) -> Option<usize> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing that exists.
    let address = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
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
