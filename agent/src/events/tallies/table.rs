//! The hash table of counts that the hooks add to.
//!
//! Invariant: a record is written whole before its address is stored with release order, and afterwards only its two cells change, by
//! atomic additions. A record that is taken out stays as it is, for readers that stand there; a page that has no others is given back, and
//! reads as zeros: they are no key, and the end of a bucket. Layout mirrored in `LucceTallies`.
//! Source: docs/design/tallies.md.

use std::sync::atomic::{AtomicU64, Ordering};

use lucce_words::{NodeId, SiteId, Word};
use rustc_hash::FxHashMap;

use super::Kind;
use super::sizes::Size;
use crate::hook_tables::links::hash;
use crate::hook_tables::memory::{Arena, give_back, page, reserve};
use crate::support::lock::Lock;

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
    next: AtomicU64,
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
        // SAFETY: the caller's contract; whoever counts in a record keeps it from being taken out.
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
        let (count, bytes, next) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        Self { word: 0, site: 0, base: 0, owner: 0, count, bytes, next, shift: 0, node: 0, size: 0 }
    }
}

/// The table.
pub struct Table {
    buckets: usize,
    records: Arena,
    pages: Lock<Pages>,
}

/// Pages with records.
#[derive(Default)]
struct Pages {
    /// How many of each page's are in their bucket.
    used: FxHashMap<u64, u32>,
    /// The one that is being filled.
    last: u64,
}

impl Table {
    /// Reserves it; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        let buckets = reserve(BUCKETS * size_of::<u64>())?;
        Some(Self { buckets, records: Arena::default(), pages: Lock::default() })
    }

    /// Address of the first bucket, and the mask for its index.
    pub fn buckets(&self) -> (i64, i32) {
        (self.buckets as i64, (BUCKETS - 1) as i32)
    }

    /// Where uses are counted that have no record.
    pub fn lost(kind: Kind) -> &'static Record {
        static LOST: [Record; 3] = [const { Record::spare() }; 3];
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
        let bucket = self.bucket(word, site, owner);
        let first = bucket.load(Ordering::Relaxed);
        let mut at = first;
        while at != 0 {
            // SAFETY: chains hold addresses of records only.
            let known = unsafe { Record::at(at) };
            if (known.word, known.site, known.owner) == (word, site, owner) {
                return Some((known, false));
            }
            at = known.next.load(Ordering::Relaxed);
        }
        let address = self.records.allocate(size_of::<Record>())?;
        let Size { base, shift, object } = new.size;
        let (node, next) = (new.node.0, AtomicU64::new(first));
        let record = Record { word, site, base, owner, next, shift, node, size: object, ..Record::spare() };
        // SAFETY: fresh memory of that size; each allocation of the arena has the size of a record and chunks begin at pages, so it is
        // aligned as one.
        unsafe { (address as *mut Record).write(record) };
        let mut pages = self.pages.lock();
        pages.last = page_of(address);
        *pages.used.entry(page_of(address)).or_default() += 1;
        drop(pages);
        bucket.store(address, Ordering::Release);
        // SAFETY: as above.
        Some((unsafe { Record::at(address) }, true))
    }

    /// Takes a record out of its bucket; only by one thread at a time.
    ///
    /// # Safety
    /// Nobody looks for its key, or counts in it, now or later.
    pub unsafe fn take_out(&self, record: &'static Record) {
        let mut from = self.bucket(record.word, record.site, record.owner);
        while from.load(Ordering::Relaxed) != record.address() {
            if from.load(Ordering::Relaxed) == 0 {
                return;
            }
            // SAFETY: chains hold addresses of records only.
            from = &unsafe { Record::at(from.load(Ordering::Relaxed)) }.next;
        }
        from.store(record.next.load(Ordering::Relaxed), Ordering::Release);
        let mut pages = self.pages.lock();
        let address = page_of(record.address());
        let Some(used) = pages.used.get_mut(&address) else { return };
        *used -= 1;
        if *used == 0 && address != pages.last {
            pages.used.remove(&address);
            // SAFETY: a page of the arena in which no record is looked for; zeros are no key and the end of a bucket.
            unsafe { give_back(address, page()) };
        }
    }

    fn bucket(&self, word: u64, site: i32, owner: u64) -> &'static AtomicU64 {
        let mixed = if owner == 0 { word } else { !word ^ owner };
        let index = hash(site, (mixed ^ mixed >> 32) as i32) as usize & (BUCKETS - 1);
        // SAFETY: within the reservation, which is never unmapped.
        unsafe { &*((self.buckets + index * size_of::<u64>()) as *const AtomicU64) }
    }
}

/// The page in which the address lies.
fn page_of(address: u64) -> u64 {
    address & !(page() as u64 - 1)
}

const _: () = assert!(size_of::<Record>() == 64);
