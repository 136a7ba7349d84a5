//! The hash table of counts that the hooks add to.
//!
//! Invariant: a record is filled before its address is stored with release order, and afterwards
//! only its two cells change, by atomic additions. A record that is taken out stays as it is, for
//! readers that stand there; a page that has no others is given back, and reads as zeros: they are
//! no key, and the end of a bucket. Readers may look at it all the while, so every field is atomic.
//! Source: docs/design/tallies.md; layout in `LucceLayout`.

use lucce_locks::Lock;
use lucce_words::{NodeId, OriginId, SiteId, Word};
use rustc_hash::FxHashMap;

use crate::links::hash;
use crate::memory::{Arena, give_back, page, reserve};
use crate::sizes::BUCKETS;
use crate::sync::{AtomicI32, AtomicU32, AtomicU64, Ordering};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TallyKind {
    /// Objects and arrays; their sum is bytes.
    Alloc,
    /// Invocations; their sum is their number.
    Entry,
    /// Invocations of which a part is sampled; their sum is about how many there were.
    Profile,
}

impl TallyKind {
    /// All; the last is there with `profile` alone.
    pub const ALL: [Self; 3] = [Self::Alloc, Self::Entry, Self::Profile];

    /// What the log calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::Entry => "entry",
            Self::Profile => "profile",
        }
    }
}

/// What one use of a record adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes before the elements of an array.
    pub base: i32,
    /// Binary logarithm of the bytes of an element.
    pub shift: i32,
    /// Bytes of an object that is no array.
    pub object: u32,
}

impl Size {
    /// Of what has none.
    pub const NONE: Self = Self { base: 0, shift: 0, object: 0 };
}

/// One context of one kind and class, and its count.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct TallyRecord {
    /// The word; its complement where `owner` or `origin` is not 0.
    pub(crate) word: AtomicU64,
    /// The site; its complement for entries.
    pub(crate) site: AtomicI32,
    pub(crate) base: AtomicI32,
    /// The node below the topmost cut, above the number of the class.
    pub(crate) owner: AtomicU64,
    pub(crate) count: AtomicU64,
    /// Of arrays, which differ in size.
    pub(crate) bytes: AtomicU64,
    pub(crate) next: AtomicU64,
    pub(crate) shift: AtomicI32,
    node: AtomicU32,
    /// Of each object that is no array.
    size: AtomicU32,
    /// The origin of the task that counts, where somebody wants to know it.
    pub(crate) origin: AtomicU32,
}

/// What the hooks look for.
#[derive(Clone, Copy, Debug)]
pub struct TallyKey {
    /// The word of the activation.
    pub word: Word,
    /// The instruction.
    pub site: SiteId,
    /// What is counted there.
    pub kind: TallyKind,
    /// The node below the topmost cut of a chained word, else 0.
    pub below: NodeId,
    /// Number of the class where the site does not say it, else 0.
    pub class: u32,
    /// What `OriginKeys` has for the origin in force on the thread.
    pub origin: OriginId,
}

/// What the hooks compare.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Parts {
    first: u64,
    site: i32,
    owner: u64,
    origin: u32,
}

impl TallyKey {
    fn parts(&self) -> Parts {
        let owner = u64::from(self.below.0) << 32 | u64::from(self.class);
        let site = self.site.0 as i32;
        let site = if self.kind == TallyKind::Entry { !site } else { site };
        let origin = self.origin.0;
        let is_plain = owner == 0 && origin == 0;
        Parts { first: if is_plain { self.word.0 } else { !self.word.0 }, site, owner, origin }
    }
}

impl Parts {
    /// The two numbers that the bucket follows from.
    fn mixed(self) -> (i32, i32) {
        let is_plain = self.owner == 0 && self.origin == 0;
        let word = if is_plain { self.first } else { !self.first };
        let mixed = word ^ self.owner ^ u64::from(self.origin);
        (self.site, (mixed ^ mixed >> 32) as i32)
    }
}

/// A record to publish.
pub struct NewRecord {
    /// What the hooks look for.
    pub key: TallyKey,
    /// Its captured context; 0 if that is lost.
    pub node: NodeId,
    /// What one of it takes.
    pub size: Size,
}

impl TallyRecord {
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
        count * u64::from(self.size.load(Ordering::Relaxed)) + self.bytes.load(Ordering::Relaxed)
    }

    /// The captured context, and the node below its topmost cut.
    pub fn nodes(&self) -> (NodeId, NodeId) {
        (NodeId(self.node.load(Ordering::Relaxed)), NodeId((self.owner.load(Ordering::Relaxed) >> 32) as u32))
    }

    /// One that no look-up finds.
    const fn spare() -> Self {
        Self {
            word: AtomicU64::new(0),
            site: AtomicI32::new(0),
            base: AtomicI32::new(0),
            owner: AtomicU64::new(0),
            count: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            next: AtomicU64::new(0),
            shift: AtomicI32::new(0),
            node: AtomicU32::new(0),
            size: AtomicU32::new(0),
            origin: AtomicU32::new(0),
        }
    }

    /// Makes zeroed memory that nobody knows yet a record, with the next of its bucket.
    fn fill(&self, new: &NewRecord, next: u64) {
        let Parts { first, site, owner, origin } = new.key.parts();
        self.word.store(first, Ordering::Relaxed);
        self.origin.store(origin, Ordering::Relaxed);
        self.site.store(site, Ordering::Relaxed);
        self.owner.store(owner, Ordering::Relaxed);
        self.base.store(new.size.base, Ordering::Relaxed);
        self.shift.store(new.size.shift, Ordering::Relaxed);
        self.size.store(new.size.object, Ordering::Relaxed);
        self.node.store(new.node.0, Ordering::Relaxed);
        self.next.store(next, Ordering::Relaxed);
    }

    /// What the hooks look for.
    fn parts(&self) -> Parts {
        Parts {
            first: self.word.load(Ordering::Relaxed),
            site: self.site.load(Ordering::Relaxed),
            owner: self.owner.load(Ordering::Relaxed),
            origin: self.origin.load(Ordering::Relaxed),
        }
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
    pub fn lost(kind: TallyKind) -> &'static TallyRecord {
        static LOST: [TallyRecord; 3] = [const { TallyRecord::spare() }; 3];
        &LOST[kind as usize]
    }

    /// Where uses go after the kill switch: nobody reads it.
    pub fn sink() -> &'static TallyRecord {
        static SINK: TallyRecord = TallyRecord::spare();
        &SINK
    }

    /// The record of a key, and whether it is new; only by one thread at a time. `None` without
    /// memory.
    pub fn publish(&self, new: &NewRecord) -> Option<(&'static TallyRecord, bool)> {
        let parts = new.key.parts();
        let bucket = self.bucket(parts);
        let first = bucket.load(Ordering::Relaxed);
        let mut at = first;
        while at != 0 {
            // SAFETY: chains hold addresses of records only.
            let known = unsafe { TallyRecord::at(at) };
            if known.parts() == parts {
                return Some((known, false));
            }
            at = known.next.load(Ordering::Relaxed);
        }
        let address = self.records.allocate(size_of::<TallyRecord>())?;
        // SAFETY: fresh, zeroed memory of that size; each allocation of the arena has the size of a
        // record and chunks begin at pages, so it is aligned as one.
        let record = unsafe { TallyRecord::at(address) };
        record.fill(new, first);
        let mut pages = self.pages.lock();
        pages.last = page_of(address);
        *pages.used.entry(page_of(address)).or_default() += 1;
        drop(pages);
        bucket.store(address, Ordering::Release);
        Some((record, true))
    }

    /// Takes a record out of its bucket; only by one thread at a time.
    ///
    /// # Safety
    /// Nobody looks for its key, or counts in it, now or later.
    pub unsafe fn take_out(&self, record: &'static TallyRecord) {
        let mut from = self.bucket(record.parts());
        while from.load(Ordering::Relaxed) != record.address() {
            if from.load(Ordering::Relaxed) == 0 {
                return;
            }
            // SAFETY: chains hold addresses of records only.
            from = &unsafe { TallyRecord::at(from.load(Ordering::Relaxed)) }.next;
        }
        from.store(record.next.load(Ordering::Relaxed), Ordering::Release);
        let mut pages = self.pages.lock();
        let address = page_of(record.address());
        let Some(used) = pages.used.get_mut(&address) else { return };
        *used -= 1;
        if *used == 0 && address != pages.last {
            pages.used.remove(&address);
            // SAFETY: a page of the arena in which no record is looked for; zeros are no key and
            // the end of a bucket.
            unsafe { give_back(address, page()) };
        }
    }

    fn bucket(&self, parts: Parts) -> &'static AtomicU64 {
        let (site, word) = parts.mixed();
        let index = hash(site, word) as usize & (BUCKETS - 1);
        // SAFETY: within the reservation, which is never unmapped.
        unsafe { &*((self.buckets + index * size_of::<u64>()) as *const AtomicU64) }
    }
}

/// The page in which the address lies.
fn page_of(address: u64) -> u64 {
    address & !(page() as u64 - 1)
}

const _: () = assert!(size_of::<TallyRecord>() == 64);
