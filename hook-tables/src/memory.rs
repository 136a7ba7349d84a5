//! Native memory that the hooks read: address space, and an arena of records that are never freed.
//!
//! Invariant: memory is zero until it is written and stays mapped for ever, so a racing reader may
//! hold any address of it.

#[cfg(miri)]
mod interpreted;
#[cfg(not(miri))]
mod mapped;

use lucce_locks::Lock;

#[cfg(miri)]
pub use self::interpreted::{give_back, open, page, reserve, reserve_low};
#[cfg(all(test, not(miri)))]
pub(crate) use self::mapped::mapping;
#[cfg(not(miri))]
pub use self::mapped::{give_back, open, page, reserve, reserve_low};

const CHUNK: usize = 1 << 20;

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
