//! The table that the hooks ask first: what is predicted for each site's call.
//!
//! Invariant: an entry is one word, stored at once, that says by itself for which callee and which
//! of the caller's words it holds (`lucce_words::Value`), or the address of a link's record with
//! the sign bit, or nothing (zero). So entries can be overwritten, and pages given back, while
//! hooks read. Layout in `LucceLayout`.

use lucce_words::{MethodId, SiteId, Value, WAYS};
use rustc_hash::FxHashSet;

use crate::memory::{give_back, page};
use crate::sizes::{BEFORE, WAY};
use crate::sparse::Sparse;
use crate::sync::{AtomicI64, Ordering};

/// Most methods a run can have.
pub const MAX_METHODS: u32 = MethodId::LIMIT;
/// Most sites a run can have.
pub const MAX_SITES: u32 = (WAY / 8 - BEFORE / 8) as u32;

const BYTES: usize = BEFORE + WAYS as usize * WAY;

/// Set beside a record's address: the link is cut, and holds for every word of the caller.
pub(crate) const ALWAYS: u64 = 1;
/// Bits of such an entry that are the record's address: records are aligned to 32 bytes.
pub(crate) const ADDRESS: u64 = i64::MAX as u64 & !31;

/// The values of all sites.
pub struct Values(Sparse);

impl Values {
    /// Reserves them; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        Sparse::reserve(BYTES).map(Self)
    }

    /// The address of the value of site 0.
    pub fn address(&self) -> i64 {
        (self.0.address() + BEFORE) as i64
    }

    /// Nothing is predicted any more; only under the encoder's lock.
    pub fn clear(&self) {
        self.0.clear();
    }

    /// The value answers from now on, in place of what is there; only under the encoder's lock.
    pub fn predict(&self, site: SiteId, callee: MethodId, value: Value) {
        if let Some(entry) = self.opened(site, callee) {
            entry.store(value.0, Ordering::Release);
        }
    }

    /// The link's record is to be looked at first, where no value is; only under the encoder's
    /// lock. `always`: it is a cut link's, and holds for every word of the caller, so that its site
    /// and callee are all that must be compared.
    pub fn point(&self, site: SiteId, callee: MethodId, record: u64, always: bool) {
        if let Some(entry) = self.opened(site, callee).filter(|entry| entry.load(Ordering::Relaxed) <= 0) {
            entry.store((record | 1 << 63 | if always { ALWAYS } else { 0 }) as i64, Ordering::Release);
        }
    }

    /// Gives back the pages in which nothing stands but values of these unloaded sites; only under
    /// the encoder's lock. `has_no_site`: is none of the ids from one up to another a site?
    pub fn forget(&self, has_no_site: impl Fn(u32, u32) -> bool, unloaded: &[SiteId]) {
        let entries = (page() / 8) as u32;
        for at in unloaded.iter().map(|site| site.0 / entries).collect::<FxHashSet<u32>>() {
            if at > 0 && has_no_site(at * entries, (at + 1) * entries) {
                for way in 0..WAYS as usize {
                    let offset = BEFORE + way * WAY + at as usize * page();
                    // SAFETY: within the reservation, on borders of pages; zero says nothing.
                    unsafe { give_back((self.0.address() + offset) as u64, page()) };
                }
            }
        }
    }

    /// Nothing is predicted for (site, callee) any more; only under the encoder's lock.
    pub fn kill(&self, site: SiteId, callee: MethodId) {
        let entry = self.entry(site, callee);
        // What was never written may not be.
        if entry.load(Ordering::Relaxed) != 0 {
            entry.store(0, Ordering::Release);
        }
    }

    /// The entry of a site, to be written; `None` without memory.
    fn opened(&self, site: SiteId, callee: MethodId) -> Option<&AtomicI64> {
        self.0.opens(offset(site, callee)).then(|| self.entry(site, callee))
    }

    /// The entry of a site, to be read.
    fn entry(&self, site: SiteId, callee: MethodId) -> &AtomicI64 {
        // SAFETY: within the reservation, which is never unmapped.
        unsafe { &*((self.0.address() + offset(site, callee)) as *const AtomicI64) }
    }
}

/// Where the entry of a site below [`MAX_SITES`] is.
fn offset(site: SiteId, callee: MethodId) -> usize {
    assert!(site.0 < MAX_SITES, "site ids are limited when they are given");
    BEFORE + (callee.0 % WAYS) as usize * WAY + 8 * site.index()
}
