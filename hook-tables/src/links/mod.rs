//! The links as the hooks read them: immutable records in a hash table, and shortcuts into long
//! buckets.
//!
//! Invariant: a record is filled before its address is stored with release order, and never changes
//! afterwards but for the use counter and `len'`, which may once become "matches nothing"
//! ([`Links::kill`]). So a racing reader sees one whole link. A record that no reader can be
//! looking for (of an unloaded class, or for words that only led through one) or that another one
//! includes becomes zero in the end: to whoever passes it, it matches nothing, and its bucket ends
//! there. Who misses a link for that asks the agent, and so does a reader that stands there
//! meanwhile: when it has read a record it looks once more whether that is one. Memory is reserved,
//! not committed: pages that are never touched cost nothing.
//! Source: layout in docs/design/link-tables.md, which `LucceLayout` tells the hooks. Every
//! interleaving with a reader: `tests/protocols`.

mod record;

use lucce_locks::Lock;
use lucce_words::{MethodId, SiteId, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::memory::{Arena, give_back, page, reserve};
use crate::sizes::{BUCKETS, SHORTCUTS};
use crate::sync::{AtomicBool, AtomicU64, Ordering, fence};
use crate::values::Values;
use record::RECORD;
pub use record::{LinkRecord, NewLink, RecordKind};

/// All links.
pub struct Links {
    /// Asked before any record.
    pub values: Values,
    buckets: usize,
    shortcuts: usize,
    records: Arena,
    /// The pages that records were written to and that were not given back, the one that is being
    /// filled last.
    pages: Lock<Vec<u64>>,
    /// Every plain record of a (site, callee), of all versions: what [`Links::kill`] must reach,
    /// though no table leads there any more.
    plain: Lock<FxHashMap<(SiteId, MethodId), Vec<u64>>>,
    /// Nothing is published any more.
    closed: AtomicBool,
}

impl Links {
    /// Reserves the tables; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        Some(Self {
            values: Values::reserve()?,
            buckets: reserve(BUCKETS * size_of::<u64>())?,
            shortcuts: reserve(SHORTCUTS * size_of::<u64>())?,
            records: Arena::default(),
            pages: Lock::default(),
            plain: Lock::default(),
            closed: AtomicBool::new(false),
        })
    }

    /// Address of the first bucket, and the mask for its index.
    pub fn buckets(&self) -> (i64, i32) {
        (self.buckets as i64, (BUCKETS - 1) as i32)
    }

    /// Address of the first shortcut, and the mask for its index. The hooks fill them.
    pub fn shortcuts(&self) -> (i64, i32) {
        (self.shortcuts as i64, (SHORTCUTS - 1) as i32)
    }

    /// Publishes a link; only under the encoder's lock. Its address, or `None` without memory (the
    /// entry then stays slow).
    pub fn publish(&self, link: &NewLink) -> Option<u64> {
        if self.closed.load(Ordering::Relaxed) {
            return None;
        }
        let NewLink { site, callee, .. } = *link;
        let bucket = self.bucket(site, callee);
        let record = self.record(link, bucket.load(Ordering::Relaxed))?;
        bucket.store(record, Ordering::Release);
        let included = unlink(bucket, |other| !std::ptr::eq(other, record as *const _) && link.includes(other));
        if link.kind == RecordKind::Plain {
            let mut plain = self.plain.lock();
            let records = plain.entry((site, callee)).or_default();
            if !included.is_empty() {
                records.retain(|record| !included.contains(record));
            }
            records.push(record);
        }
        match link.value {
            Some(value) => self.values.predict(site, callee, value),
            None => {
                let always = link.kind == RecordKind::Cut && (link.lo, link.len) == (0, u64::MAX);
                self.values.point(site, callee, record, always);
            }
        }
        Some(record)
    }

    /// The link is found often: predicts it, if it can be, in place of whichever callee of the site
    /// is; only under the encoder's lock.
    ///
    /// # Safety
    /// `record` is the address of a record.
    pub unsafe fn predict(&self, record: u64) {
        // SAFETY: as this function's own contract; records stay mapped for ever.
        let link = unsafe { LinkRecord::at(record) };
        if let Some(value) = link.value().filter(|_| !self.closed.load(Ordering::Relaxed)) {
            let (site, callee) = link.ends();
            self.values.predict(site, callee, value);
        }
    }

    /// The word that a constructor's link from `site` to `callee` gives at `ctx`, if there is one.
    /// Needs no lock.
    pub fn constructor(&self, site: SiteId, callee: MethodId, ctx: Word) -> Option<Word> {
        let mut record = self.bucket(site, callee).load(Ordering::Acquire);
        while record != 0 {
            // SAFETY: bucket chains hold addresses of records only, and records stay mapped for
            // ever.
            let link = unsafe { LinkRecord::at(record) };
            if link.holds(site, callee, ctx.0) {
                let (kind, av) = link.read()?;
                if kind == RecordKind::Constructor as i32 {
                    return Some(Word(ctx.0.wrapping_add(av)));
                }
            }
            record = link.next.load(Ordering::Acquire);
        }
        None
    }

    /// Makes every plain link from `site` to `callee` match nothing from now on; only under the
    /// encoder's lock.
    pub fn kill(&self, site: SiteId, callee: MethodId) {
        for record in self.plain.lock().remove(&(site, callee)).unwrap_or_default() {
            // SAFETY: the list holds addresses of records only, and records stay mapped for ever.
            unsafe { LinkRecord::at(record) }.match_nothing();
        }
        self.values.kill(site, callee);
    }

    /// No link is found any more, and none will be; only under the encoder's lock.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.clear();
    }

    /// A new version: no link is found any more; only under the encoder's lock. Records stay, for
    /// readers that hold them.
    pub fn clear(&self) {
        self.values.clear();
        for (first, count) in [(self.buckets, BUCKETS), (self.shortcuts, SHORTCUTS)] {
            for entry in (0..count).map(|index| pointer(first, index)) {
                if entry.load(Ordering::Relaxed) != 0 {
                    entry.store(0, Ordering::Release);
                }
            }
        }
    }

    fn bucket(&self, site: SiteId, callee: MethodId) -> &'static AtomicU64 {
        pointer(self.buckets, index(site, callee))
    }

    fn record(&self, link: &NewLink, next: u64) -> Option<u64> {
        let address = self.records.allocate(size_of::<LinkRecord>())?;
        // SAFETY: fresh, aligned, zeroed memory of that size.
        unsafe { LinkRecord::at(address) }.fill(link, next);
        if address.is_multiple_of(page() as u64) {
            self.pages.lock().push(address);
        }
        Some(address)
    }

    /// Forgets links that nothing can look for any more, by site, callee, first word and number of
    /// words; only under the encoder's lock. The memory of a page that holds no others goes back.
    pub fn forget(&self, is_over: impl Fn(SiteId, MethodId, u64, u64) -> bool) {
        let mut pages = self.pages.lock();
        let filled = pages.last().copied();
        let (mut buckets, mut empty) = (FxHashSet::default(), FxHashSet::default());
        for &first in pages.iter() {
            let mut in_use = Some(first) == filled;
            for record in (first..first + page() as u64).step_by(RECORD) {
                // SAFETY: a page of records, or zeros behind the last of them.
                let link = unsafe { LinkRecord::at(record) };
                let (site, callee) = link.ends();
                if link.is_nothing() {
                    continue;
                }
                let (lo, len) = link.words();
                if is_over(site, callee, lo, len) {
                    buckets.insert(index(site, callee));
                    link.become_nothing();
                } else {
                    in_use = true;
                }
            }
            if !in_use {
                empty.insert(first);
            }
        }
        for bucket in buckets {
            unlink(pointer(self.buckets, bucket), LinkRecord::is_nothing);
        }
        self.plain.lock().retain(|_, records| {
            // SAFETY: the list holds addresses of records only, whose pages are given back below.
            records.retain(|&record| !unsafe { LinkRecord::at(record) }.is_nothing());
            records.shrink_to(2 * records.len());
            !records.is_empty()
        });
        // A reader that finds a zero of what follows finds the record nothing when it looks again.
        fence(Ordering::Release);
        for &page_of_dead in &empty {
            // SAFETY: a page of our own in which nothing stands that anybody could look for; zeros
            // match nothing and lead nowhere.
            unsafe { give_back(page_of_dead, page()) };
        }
        pages.retain(|page| !empty.contains(page));
    }
}

/// Takes some records out of a bucket, and makes them nothing. Readers that stand there go on from
/// them as before. Their addresses.
fn unlink(bucket: &AtomicU64, which: impl Fn(&LinkRecord) -> bool) -> Vec<u64> {
    let mut out = Vec::new();
    let mut from = bucket;
    let mut at = from.load(Ordering::Relaxed);
    while at != 0 {
        // SAFETY: bucket chains hold addresses of records only, and pages of linked ones are not
        // given back.
        let link = unsafe { LinkRecord::at(at) };
        let next = link.next.load(Ordering::Relaxed);
        if which(link) {
            link.become_nothing();
            from.store(next, Ordering::Release);
            out.push(at);
        } else {
            from = &link.next;
        }
        at = next;
    }
    out
}

/// Which bucket the links from `site` to `callee` are in.
fn index(site: SiteId, callee: MethodId) -> usize {
    hash(site.0 as i32, callee.0 as i32) as usize & (BUCKETS - 1)
}

/// Entry `index` of a table of pointers that begins at `first` and is longer than that.
fn pointer(first: usize, index: usize) -> &'static AtomicU64 {
    // SAFETY: within the table's reservation, which is never unmapped.
    unsafe { &*((first + index * size_of::<AtomicU64>()) as *const AtomicU64) }
}

/// The multipliers of [`hash`].
pub(crate) const HASH: [i32; 2] = [0x9E37_79B1_u32 as i32, 0x85EB_CA6B_u32 as i32];

/// The hash of `LucceLinks.hash`, bit for bit.
#[inline]
pub fn hash(a: i32, b: i32) -> i32 {
    let h = a.wrapping_mul(HASH[0]) ^ b.wrapping_mul(HASH[1]);
    h ^ (h as u32 >> 15) as i32
}
