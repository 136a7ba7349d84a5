//! The hash table of counts that the hooks add to.
//!
//! Invariant: a record is written whole before its address is stored with release order, and afterwards only its two cells change, by
//! atomic additions. Records live for ever. Layout mirrored in `LucceTallies`.
//! Source: ARCHITECTURE, "Tallies".

use std::sync::atomic::{AtomicU64, Ordering};

use lucce_words::{NodeId, SiteId, Word};

use super::Kind;
use super::sizes::Size;
use crate::links::hash;
use crate::memory::{Arena, reserve};

const BUCKETS: usize = 1 << 18;

/// One context of one kind and class, and its count.
#[repr(C, align(64))]
pub struct Record {
    /// The word; its complement where `owner` is not 0.
    word: u64,
    /// The site; its complement for entries.
    site: i32,
    base: i32,
    /// The node below the topmost cut, above the number of the class.
    owner: u64,
    count: AtomicU64,
    /// Of arrays, which differ in size.
    bytes: AtomicU64,
    next: u64,
    shift: i32,
    node: u32,
    /// Of each object that is no array.
    size: u64,
}

/// What the hooks look for.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The word of the activation.
    pub word: Word,
    /// The instruction.
    pub site: SiteId,
    /// What is counted there.
    pub kind: Kind,
    /// The node below the topmost cut of a chained word, else 0.
    pub chain: NodeId,
    /// Number of the class where the site does not say it, else 0.
    pub class: u32,
}

impl Key {
    fn parts(&self) -> (u64, i32, u64) {
        let owner = u64::from(self.chain.0) << 32 | u64::from(self.class);
        let site = self.site.0 as i32;
        let site = if self.kind == Kind::Entry { !site } else { site };
        (if owner == 0 { self.word.0 } else { !self.word.0 }, site, owner)
    }
}

/// A record to publish.
pub struct NewRecord {
    /// What the hooks look for.
    pub key: Key,
    /// Its captured context; 0 if that is lost.
    pub node: NodeId,
    /// What one of it takes.
    pub size: Size,
}

impl Record {
    /// # Safety
    /// `address` is that of a record, which the table or [`Table::lost`] gave.
    pub unsafe fn at(address: u64) -> &'static Self {
        // SAFETY: the caller's contract; records live for ever.
        unsafe { &*(address as *const Self) }
    }

    /// Its address, as the hooks know it.
    pub fn address(&self) -> u64 {
        std::ptr::from_ref(self) as u64
    }

    /// How often it was used.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The bytes of so many uses.
    pub fn bytes(&self, count: u64) -> u64 {
        count * self.size + self.bytes.load(Ordering::Relaxed)
    }

    /// The captured context, and the node below its topmost cut.
    pub fn nodes(&self) -> (NodeId, NodeId) {
        (NodeId(self.node), NodeId((self.owner >> 32) as u32))
    }

    /// One that no look-up finds.
    const fn spare() -> Self {
        let (count, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { word: 0, site: 0, base: 0, owner: 0, count, bytes, next: 0, shift: 0, node: 0, size: 0 }
    }
}

/// The table.
pub struct Table {
    buckets: usize,
    records: Arena,
}

impl Table {
    /// Reserves it; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        Some(Self { buckets: reserve(BUCKETS * size_of::<u64>())?, records: Arena::default() })
    }

    /// Address of the first bucket, and the mask for its index.
    pub fn buckets(&self) -> (i64, i32) {
        (self.buckets as i64, (BUCKETS - 1) as i32)
    }

    /// Where uses are counted that have no record.
    pub fn lost(kind: Kind) -> &'static Record {
        static LOST: [Record; 2] = [Record::spare(), Record::spare()];
        &LOST[kind as usize]
    }

    /// Where uses go after the kill switch: nobody reads it.
    pub fn sink() -> &'static Record {
        static SINK: Record = Record::spare();
        &SINK
    }

    /// The record of a key, and whether it is new; only by one thread at a time. `None` without memory.
    pub fn publish(&self, new: &NewRecord) -> Option<(&'static Record, bool)> {
        let (word, site, owner) = new.key.parts();
        let mixed = new.key.word.0 ^ owner;
        let index = hash(site, (mixed ^ mixed >> 32) as i32) as usize & (BUCKETS - 1);
        // SAFETY: within the reservation.
        let bucket = unsafe { &*((self.buckets + index * size_of::<u64>()) as *const AtomicU64) };
        let first = bucket.load(Ordering::Relaxed);
        let mut at = first;
        while at != 0 {
            // SAFETY: chains hold addresses of records only.
            let known = unsafe { Record::at(at) };
            if (known.word, known.site, known.owner) == (word, site, owner) {
                return Some((known, false));
            }
            at = known.next;
        }
        let address = self.records.allocate(size_of::<Record>())?;
        let Size { base, shift, object } = new.size;
        let node = new.node.0;
        let record = Record { word, site, base, owner, next: first, shift, node, size: object, ..Record::spare() };
        // SAFETY: fresh memory of that size; each allocation of the arena has the size of a record and chunks begin at pages, so it is
        // aligned as one.
        unsafe { (address as *mut Record).write(record) };
        bucket.store(address, Ordering::Release);
        // SAFETY: as above.
        Some((unsafe { Record::at(address) }, true))
    }
}

const _: () = assert!(size_of::<Record>() == 64);
