//! By which origin the hooks count, for each origin that may be in force on a thread.
//!
//! Invariant: the key of an origin is written before a thread can have that origin, and never
//! changes. 0 is the key of all whose counts nobody wants apart. Source: docs/design/tallies.md
//! ("Tasks of a measurement").

use lucce_words::OriginId;

use crate::memory::reserve;
use crate::sizes::ORIGIN_KEYS;
use crate::sync::{AtomicU32, Ordering};

/// The keys, by the number of the origin in force.
#[derive(Clone, Copy)]
pub struct OriginKeys {
    address: usize,
}

impl OriginKeys {
    /// So many numbers have a key.
    pub const COUNT: usize = ORIGIN_KEYS;

    /// Reserves them, all 0; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        Some(Self { address: reserve(ORIGIN_KEYS * size_of::<AtomicU32>())? })
    }

    /// Where the hooks find them.
    pub fn address(&self) -> i64 {
        self.address as i64
    }

    /// The key of an origin; 0 of numbers that are none.
    pub fn get(&self, origin: OriginId) -> OriginId {
        OriginId(self.at(origin).map_or(0, |key| key.load(Ordering::Relaxed)))
    }

    /// Says the key of an origin that no thread has yet.
    pub fn set(&self, origin: OriginId, key: OriginId) {
        if let Some(at) = self.at(origin) {
            at.store(key.0, Ordering::Release);
        }
    }

    fn at(&self, origin: OriginId) -> Option<&'static AtomicU32> {
        // SAFETY: within the reservation, which is never unmapped, and aligned as it begins at a
        // page.
        (origin.index() < ORIGIN_KEYS)
            .then(|| unsafe { &*((self.address + origin.index() * size_of::<AtomicU32>()) as *const AtomicU32) })
    }
}
