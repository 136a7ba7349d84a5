//! The native memory that the hooks read: the site table, the hash table of links, and the table of captured contexts.
//!
//! Invariant: a record is written before its address is stored with release order, and never changes afterwards but for two words:
//! the use counter, and `len'`, which may once become "matches nothing" ([`Links::kill`]). So a racing reader sees one whole link.
//! Memory is reserved, not committed: pages that are never touched cost nothing. A site's entry is an offset into the arena of links, and
//! offset 0 is a record that matches nothing: so sites without links need no writing, and a table is cleared by giving its pages back.
//! Source: DESIGN section 5; layout in ARCHITECTURE "Links", mirrored in `LucceHooks`.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use lucce_words::{MethodId, NodeId, SiteId, Word};
use rustc_hash::FxHashMap;

use crate::jvm::thread::CONSTRUCTING;
use crate::lock::Lock;

/// Most sites a run can have.
pub const MAX_SITES: u32 = ((TABLE - PAGE) / 4) as u32;
const LINK_BUCKETS: usize = 1 << 18;
const SHORTCUTS: usize = 1 << 16;
const CAPTURE_BUCKETS: usize = 1 << 17;
const CHUNK: usize = 1 << 20;
const BIAS: u64 = 1 << 63;

/// Bytes of one site table. Its last page is that before the next table's site 0, and holds the entries of the special sites below 0.
const TABLE: usize = 1 << 25;
/// Bytes of the arena of links: some twenty million of them. Offsets are positive as an i32.
const ARENA: usize = 1 << 30;
/// Tables: one for each low bits of the callee (so that the callees of one site seldom push each other out) and each
/// [`lucce_words::Space::index`] of the caller's word (for callers entered in different ways have their numbers in different ranges).
const WAYS: usize = 4;
const TABLES: usize = WAYS * 4;
const PAGE: usize = 4096;

/// What a link does, as the hooks read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum RecordKind {
    /// `word = ctx + av`, nothing stored.
    Plain = 0,
    /// `word = ctx + av`, pushed.
    Restoring = 1,
    /// The word itself, pushed as a cut entry.
    Cut = 2,
    /// `word = ctx + av`, in the restoring space, not pushed: constructors.
    Constructor = 3,
}

/// One link record.
#[repr(C)]
pub struct LinkRecord {
    callee: i32,
    site: i32,
    lo: u64,
    len: AtomicI64,
    av: u64,
    next: u64,
    kind: i32,
    uses: u32,
}

#[repr(C)]
struct CaptureRecord {
    ctx: u64,
    site: i32,
    pad: i32,
    chain: u64,
    id: u64,
    next: u64,
}

/// A link to publish.
pub struct NewLink {
    /// Its site.
    pub site: SiteId,
    /// Its callee.
    pub callee: MethodId,
    /// First caller word it holds for.
    pub lo: u64,
    /// How many caller words it holds for.
    pub len: u64,
    /// The addition value, or the word of a cut link.
    pub av: u64,
    /// What it does.
    pub kind: RecordKind,
}

/// The tables.
pub struct Links {
    sites: *const AtomicU32,
    /// The arena of links, and how much of it is used.
    records: usize,
    used: Lock<usize>,
    buckets: *const AtomicU64,
    shortcuts: *const AtomicU64,
    captures: *const AtomicU64,
    contexts: Arena,
    /// Every plain record of a (site, callee), of all versions: what [`Links::kill`] must reach, though no table leads there any more.
    plain: Lock<FxHashMap<(SiteId, MethodId), Vec<u64>>>,
}

// SAFETY: the tables are reserved for ever and are only accessed through atomics; the arena is used under the encoder's lock.
unsafe impl Send for Links {}
// SAFETY: as above.
unsafe impl Sync for Links {}

/// A bump allocator of zeroed memory that is never freed: readers may hold any record for ever.
struct Arena {
    chunk: Lock<(usize, usize)>,
}

impl Links {
    /// Reserves the tables; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        let sites = reserve(PAGE + TABLES * TABLE)?;
        let buckets = reserve(LINK_BUCKETS * 8)?;
        let shortcuts = reserve(SHORTCUTS * 8)?;
        let captures = reserve(CAPTURE_BUCKETS * 8)?;
        let links = Self {
            sites: (sites + PAGE) as *const AtomicU32,
            records: reserve(ARENA)?,
            used: Lock::new(0),
            buckets: buckets as *const AtomicU64,
            shortcuts: shortcuts as *const AtomicU64,
            captures: captures as *const AtomicU64,
            contexts: Arena { chunk: Lock::new((0, 0)) },
            plain: Lock::default(),
        };
        // At offset 0, where every entry leads that nobody has written.
        let nothing = links.record(&NewLink {
            site: SiteId::UNKNOWN,
            callee: MethodId::ROOT,
            lo: 0,
            len: 0,
            av: 0,
            kind: RecordKind::Plain,
        })?;
        // SAFETY: the record was just made and nobody else knows it. This is no method id, so it matches no entry.
        unsafe { (*(nothing as *mut LinkRecord)).callee = i32::MIN };
        Some(links)
    }

    /// Address of the entry of site 0 in the first table.
    pub fn site_table(&self) -> i64 {
        self.sites as i64
    }

    /// Address from which the sites' entries count.
    pub fn records(&self) -> i64 {
        self.records as i64
    }

    /// Address of the first bucket of links, and the mask for its index.
    pub fn buckets(&self) -> (i64, i32) {
        (self.buckets as i64, (LINK_BUCKETS - 1) as i32)
    }

    /// Address of the first shortcut, and the mask for its index. The hooks fill them.
    pub fn shortcuts(&self) -> (i64, i32) {
        (self.shortcuts as i64, (SHORTCUTS - 1) as i32)
    }

    /// Address of the first bucket of captured contexts, and the mask for its index.
    pub fn captures(&self) -> (i64, i32) {
        (self.captures as i64, (CAPTURE_BUCKETS - 1) as i32)
    }

    /// Publishes a link; only under the encoder's lock. Its address, or `None` without memory (the entry then stays slow).
    pub fn publish(&self, link: &NewLink) -> Option<u64> {
        let bucket = self.bucket(link.site, link.callee);
        let record = self.record(link)?;
        // SAFETY: the record is still private to us.
        unsafe { (*(record as *mut LinkRecord)).next = bucket.load(Ordering::Relaxed) };
        bucket.store(record, Ordering::Release);
        let way = link.callee.index() % WAYS * 4 + Word(link.lo).space().index();
        let entry = self.entry(way, link.site.0 as isize);
        let offset = (record - self.records as u64) as u32;
        if link.kind == RecordKind::Plain {
            self.plain.lock().entry((link.site, link.callee)).or_default().push(record);
            entry.store(offset, Ordering::Release);
        } else if entry.load(Ordering::Relaxed) == 0 {
            // The fast compare refuses it; the slower one that follows is spared a search.
            entry.store(offset, Ordering::Release);
        }
        Some(record)
    }

    /// The word that a constructor's link from `site` to `callee` gives at `ctx`, if there is one. Needs no lock.
    pub fn constructor(&self, site: SiteId, callee: MethodId, ctx: Word) -> Option<Word> {
        let mut record = self.bucket(site, callee).load(Ordering::Acquire);
        while record != 0 {
            // SAFETY: bucket chains hold addresses of records only, and records live for ever.
            let link = unsafe { &*(record as *const LinkRecord) };
            let within = (ctx.0.wrapping_sub(link.lo) as i64) < link.len.load(Ordering::Relaxed);
            if link.kind == RecordKind::Constructor as i32
                && (link.site, link.callee) == (site.0 as i32, !callee.0 as i32)
                && within
            {
                return Some(Word(ctx.0.wrapping_add(link.av)));
            }
            record = link.next;
        }
        None
    }

    /// Makes every plain link from `site` to `callee` match nothing from now on; only under the encoder's lock.
    pub fn kill(&self, site: SiteId, callee: MethodId) {
        for record in self.plain.lock().remove(&(site, callee)).unwrap_or_default() {
            // SAFETY: the list holds addresses of records only, and records live for ever.
            let link = unsafe { &*(record as *const LinkRecord) };
            link.len.store(i64::MIN, Ordering::Release);
        }
        for table in 0..TABLES {
            self.entry(table, site.0 as isize).store(0, Ordering::Release);
        }
    }

    /// Forgets all links of sites below `end`; only under the encoder's lock. Records stay, for readers that hold them.
    pub fn clear(&self) {
        for bucket in 0..LINK_BUCKETS {
            // SAFETY: within the reservation.
            let bucket = unsafe { &*self.buckets.add(bucket) };
            if bucket.load(Ordering::Relaxed) != 0 {
                bucket.store(0, Ordering::Release);
            }
        }
        for shortcut in 0..SHORTCUTS {
            // SAFETY: within the reservation.
            let shortcut = unsafe { &*self.shortcuts.add(shortcut) };
            if shortcut.load(Ordering::Relaxed) != 0 {
                shortcut.store(0, Ordering::Release);
            }
        }
        // SAFETY: the range is ours, and a racing reader finds the entry as it was, or zero.
        let cleared = unsafe { libc::madvise(self.tables(), PAGE + TABLES * TABLE, libc::MADV_DONTNEED) };
        if cleared != 0 {
            // A system without it, or tables locked into memory: by hand.
            for entry in 0..TABLES * TABLE / 4 {
                // SAFETY: within the reservation.
                let entry = unsafe { &*self.sites.add(entry) };
                if entry.load(Ordering::Relaxed) != 0 {
                    entry.store(0, Ordering::Release);
                }
            }
        }
    }

    fn tables(&self) -> *mut libc::c_void {
        (self.sites as usize - PAGE) as *mut libc::c_void
    }

    /// Publishes a captured context; only under the lock of the captured tree.
    pub fn publish_capture(&self, ctx: Word, site: SiteId, chain: NodeId, id: NodeId) {
        let folded = (ctx.0 ^ ctx.0 >> 32) as i32 ^ chain.0 as i32;
        let index = hash(site.0 as i32, folded) as usize & (CAPTURE_BUCKETS - 1);
        // SAFETY: within the reservation.
        let bucket = unsafe { &*self.captures.add(index) };
        let Some(address) = self.contexts.allocate(size_of::<CaptureRecord>()) else { return };
        let record = CaptureRecord {
            ctx: ctx.0,
            site: site.0 as i32,
            pad: 0,
            chain: chain.0 as u64,
            id: id.0 as u64,
            next: bucket.load(Ordering::Relaxed),
        };
        // SAFETY: fresh, aligned memory of that size.
        unsafe { (address as *mut CaptureRecord).write(record) };
        bucket.store(address, Ordering::Release);
    }

    fn record(&self, link: &NewLink) -> Option<u64> {
        let address = {
            let mut used = self.used.lock();
            let offset = *used;
            *used = offset.checked_add(size_of::<LinkRecord>()).filter(|&end| end <= ARENA)?;
            (self.records + offset) as u64
        };
        let callee = link.callee.0 as i32;
        let record = LinkRecord {
            callee: if link.kind == RecordKind::Plain { callee } else { !callee },
            site: link.site.0 as i32,
            lo: link.lo.wrapping_add(BIAS),
            len: AtomicI64::new(link.len.wrapping_add(BIAS) as i64),
            av: link.av,
            next: 0,
            kind: link.kind as i32,
            uses: 0,
        };
        // SAFETY: fresh, aligned memory of that size.
        unsafe { (address as *mut LinkRecord).write(record) };
        Some(address)
    }

    /// Of a site below [`MAX_SITES`], or of one of the special ones just below 0.
    fn entry(&self, table: usize, site: isize) -> &AtomicU32 {
        assert!(
            table < TABLES && site >= CONSTRUCTING as isize && site < MAX_SITES as isize,
            "site ids are limited when they are given"
        );
        // SAFETY: within the reservation, of which a page lies before site 0 of the first table.
        unsafe { &*self.sites.offset((table * (TABLE / 4)) as isize + site) }
    }

    fn bucket(&self, site: SiteId, callee: MethodId) -> &AtomicU64 {
        let index = hash(site.0 as i32, callee.0 as i32) as usize & (LINK_BUCKETS - 1);
        // SAFETY: within the reservation.
        unsafe { &*self.buckets.add(index) }
    }
}

impl Arena {
    fn allocate(&self, bytes: usize) -> Option<u64> {
        let bytes = bytes.next_multiple_of(8);
        let mut chunk = self.chunk.lock();
        if chunk.1 < bytes {
            *chunk = (reserve(CHUNK)?, CHUNK);
        }
        let address = chunk.0;
        *chunk = (address + bytes, chunk.1 - bytes);
        Some(address as u64)
    }
}

/// The hash of `LucceHooks.hash`, bit for bit.
fn hash(a: i32, b: i32) -> i32 {
    let h = a.wrapping_mul(0x9E37_79B1_u32 as i32) ^ b.wrapping_mul(0x85EB_CA6B_u32 as i32);
    h ^ (h as u32 >> 15) as i32
}

/// Zeroed address space, committed page by page when touched.
pub(crate) fn reserve(bytes: usize) -> Option<usize> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing that exists.
    let address = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
    (address != libc::MAP_FAILED).then_some(address as usize)
}
