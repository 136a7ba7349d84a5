//! The hash table of captured contexts that the hooks find by themselves.
//!
//! Invariant: a record is written whole before its address is stored with release order, and never
//! changes.
//! Source: docs/design/thread-state.md ("Captures"); layout in `LucceLayout`.

use lucce_words::{NodeId, SiteId, Word};

use crate::links::hash;
use crate::memory::{Arena, reserve};
use crate::sizes::CAPTURES as BUCKETS;
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// A captured context, as the hooks read it.
#[repr(C)]
#[derive(PartialEq, Eq)]
pub(crate) struct CaptureRecord {
    pub(crate) ctx: u64,
    pub(crate) site: i32,
    pad: i32,
    pub(crate) below: u64,
    pub(crate) id: u64,
    pub(crate) next: u64,
}

/// The table.
pub struct ContextTable {
    buckets: usize,
    records: Arena,
    /// Nothing is published any more.
    closed: AtomicBool,
}

impl ContextTable {
    /// Reserves it; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        Some(Self {
            buckets: reserve(BUCKETS * size_of::<u64>())?,
            records: Arena::default(),
            closed: AtomicBool::new(false),
        })
    }

    /// Address of the first bucket, and the mask for its index.
    pub fn buckets(&self) -> (i64, i32) {
        (self.buckets as i64, (BUCKETS - 1) as i32)
    }

    /// No context is found any more, and none will be; only under the encoder's lock.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        for index in 0..BUCKETS {
            // SAFETY: within the reservation.
            let bucket = unsafe { &*((self.buckets + index * size_of::<u64>()) as *const AtomicU64) };
            if bucket.load(Ordering::Relaxed) != 0 {
                bucket.store(0, Ordering::Release);
            }
        }
    }

    /// Publishes a context, if it is not; only under the encoder's lock. Without memory it stays
    /// slow.
    pub fn publish(&self, ctx: Word, site: SiteId, below: NodeId, id: NodeId) {
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        let folded = (ctx.0 ^ ctx.0 >> 32) as i32 ^ below.0 as i32;
        let index = hash(site.0 as i32, folded) as usize & (BUCKETS - 1);
        // SAFETY: within the reservation.
        let bucket = unsafe { &*((self.buckets + index * size_of::<u64>()) as *const AtomicU64) };
        let first = bucket.load(Ordering::Relaxed);
        let new = |next| CaptureRecord {
            ctx: ctx.0,
            site: site.0 as i32,
            pad: 0,
            below: below.0.into(),
            id: id.0.into(),
            next,
        };
        let mut at = first;
        while at != 0 {
            // SAFETY: chains hold addresses of records only, which live for ever.
            let known = unsafe { &*(at as *const CaptureRecord) };
            if *known == new(known.next) {
                return;
            }
            at = known.next;
        }
        let Some(address) = self.records.allocate(size_of::<CaptureRecord>()) else { return };
        // SAFETY: fresh, aligned memory of that size.
        unsafe { (address as *mut CaptureRecord).write(new(first)) };
        bucket.store(address, Ordering::Release);
    }
}
