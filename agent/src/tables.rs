//! The tables of one version that the hooks ask first: each method's block, and for each site what is predicted for its call.
//!
//! Invariant: an entry of a table is one word, stored at once, and a version's tables never hold anything of another version: a new version
//! gets tables of its own, and the hooks read the address of the current ones once at each entry. So a value and a block that a racing
//! reader finds are of one version, and the sum's being in the block is proof (`lucce_words::LINE`, ARCHITECTURE "Blocks"). Zero says
//! nothing, so the pages of old tables can be given back at any time. Layout mirrored in `LucceHooks`.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use lucce_words::{MethodId, SiteId, Word};
use rustc_hash::FxHashSet;

use crate::catalog::Catalog;
use crate::lock::Lock;
use crate::memory::{give_back, page, reserve};
use crate::unload::Dead;

/// Most methods a run can have; the last page of their entries is that before the values, and holds those of the special sites below 0.
pub const MAX_METHODS: u32 = (BLOCKS / 8 - PAGE / 8) as u32;
/// Most sites a run can have.
pub const MAX_SITES: u32 = (VALUES / 8 - PAGE / 8) as u32;

/// Bytes of all blocks.
const BLOCKS: usize = 1 << 27;
/// Bytes of the values of all sites, for one way.
const VALUES: usize = 1 << 26;
/// Values of a site, by the low bits of the callee: so that the callees of one site seldom push each other out.
const WAYS: usize = 8;
const BYTES: usize = BLOCKS + WAYS * VALUES;
const PAGE: usize = 4096;

/// The tables of all versions.
pub struct Tables {
    /// What the hooks read: the address of the current ones.
    current: Box<AtomicU64>,
    /// Addresses, the current one last.
    all: Lock<Vec<u64>>,
}

impl Tables {
    /// Reserves those of the first version; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        let first = reserve(BYTES)? as u64;
        Some(Self { current: Box::new(AtomicU64::new(first)), all: Lock::new(vec![first]) })
    }

    /// Where the address of the current tables stands.
    pub fn address(&self) -> i64 {
        std::ptr::from_ref::<AtomicU64>(&self.current) as i64
    }

    /// A new version: nothing is predicted any more. Only under the encoder's lock.
    ///
    /// Without address space the former tables stay: they are of another version, so none of the new words is found in their blocks.
    pub fn renew(&self) {
        let mut all = self.all.lock();
        if let Some(former) = all.last() {
            // SAFETY: the range is ours, and a racing reader finds each entry as it was, or zero.
            unsafe { libc::madvise(*former as *mut libc::c_void, BYTES, libc::MADV_DONTNEED) };
        }
        if let Some(next) = reserve(BYTES) {
            all.push(next as u64);
            self.current.store(next as u64, Ordering::Release);
        }
    }

    /// The block of `callee`, whose first word is `block`, answers for the link with the addition value `av`; only under the encoder's
    /// lock, for a link of the current version.
    pub fn predict(&self, site: SiteId, callee: MethodId, block: Word, av: u64) {
        // Only an edge into a block behind the caller's has a value that the hooks tell from an address.
        if (av as i64) <= 0 || block.version().index() != self.all.lock().len() {
            return;
        }
        let tables = self.current.load(Ordering::Relaxed);
        // SAFETY: method ids are limited when they are given, so it is within the reservation.
        let entry = unsafe { &*((tables + 8 * u64::from(callee.0)) as *const AtomicU64) };
        entry.store(block.0, Ordering::Release);
        value(tables, site, callee).store(av as i64, Ordering::Release);
    }

    /// The link's record is to be looked at first, where nothing better is known; only under the encoder's lock. `always`: it is a cut
    /// link's, and holds for every word of the caller, so that its site and callee are all that must be compared.
    pub fn point(&self, site: SiteId, callee: MethodId, record: u64, always: bool) {
        let entry = value(self.current.load(Ordering::Relaxed), site, callee);
        if entry.load(Ordering::Relaxed) <= 0 {
            entry.store((record | 1 << 63 | u64::from(always)) as i64, Ordering::Release);
        }
    }

    /// Gives back the pages in which nothing stands but values of unloaded sites and blocks of unloaded methods; only under the encoder's
    /// lock. What else is lost by it is found as a record.
    pub fn forget(&self, catalog: &Catalog, dead: &Dead) {
        let tables = self.current.load(Ordering::Relaxed);
        let entries = (page() / 8) as u32;
        let pages = |ids: &mut dyn Iterator<Item = u32>| ids.map(|id| id / entries).collect::<FxHashSet<u32>>();
        for at in pages(&mut dead.sites.iter().map(|site| site.0)) {
            if at > 0 && catalog.has_no_site(at * entries, (at + 1) * entries) {
                for way in 0..WAYS {
                    let offset = BLOCKS + way * VALUES + at as usize * page();
                    // SAFETY: within the reservation, which begins on the border of a page as its parts do; zero says nothing.
                    unsafe { give_back(tables + offset as u64, page()) };
                }
            }
        }
        for at in pages(&mut dead.methods.iter().map(|method| method.0)) {
            if at > 0 && catalog.has_no_method(at * entries, (at + 1) * entries) {
                // SAFETY: as above.
                unsafe { give_back(tables + at as u64 * page() as u64, page()) };
            }
        }
    }

    /// Nothing is predicted for (site, callee) any more, whatever tables a reader may hold; only under the encoder's lock.
    pub fn kill(&self, site: SiteId, callee: MethodId) {
        for &tables in self.all.lock().iter() {
            let value = value(tables, site, callee);
            // A page that was never written costs nothing, and stays so.
            if value.load(Ordering::Relaxed) != 0 {
                value.store(0, Ordering::Release);
            }
        }
    }
}

/// The entry of a site below [`MAX_SITES`].
fn value(tables: u64, site: SiteId, callee: MethodId) -> &'static AtomicI64 {
    assert!(site.0 < MAX_SITES, "site ids are limited when they are given");
    let offset = BLOCKS + callee.index() % WAYS * VALUES + 8 * site.index();
    // SAFETY: within the reservation, which is never unmapped.
    unsafe { &*((tables + offset as u64) as *const AtomicI64) }
}

#[cfg(test)]
mod tests {
    use lucce_words::Version;

    use super::*;

    const SITE: SiteId = SiteId(77);
    const CALLEE: MethodId = MethodId(9);

    fn value(tables: &Tables, callee: MethodId) -> i64 {
        super::value(tables.current.load(Ordering::Relaxed), SITE, callee).load(Ordering::Relaxed)
    }

    fn block(version: u32) -> Word {
        Word::new(Version(version), false, lucce_words::LINE + 8)
    }

    #[test]
    fn what_is_found_often_takes_over_and_an_address_does_not() {
        let tables = Tables::reserve().unwrap();
        let other = MethodId(CALLEE.0 + WAYS as u32);
        tables.point(SITE, CALLEE, 64, true);
        assert_eq!(value(&tables, CALLEE), i64::MIN | 65);
        tables.predict(SITE, CALLEE, block(1), 5);
        tables.predict(SITE, other, block(1), 6);
        tables.point(SITE, CALLEE, 64, false);
        assert_eq!(value(&tables, CALLEE), 6);
        tables.predict(SITE, CALLEE, block(1), 5);
        assert_eq!(value(&tables, CALLEE), 5);
        assert_eq!(value(&tables, MethodId(CALLEE.0 + 1)), 0);
    }

    #[test]
    fn each_version_has_tables_of_its_own_and_takes_no_value_of_another() {
        let tables = Tables::reserve().unwrap();
        tables.predict(SITE, CALLEE, block(2), 5);
        assert_eq!(value(&tables, CALLEE), 0);
        tables.predict(SITE, CALLEE, block(1), 5);
        let first = tables.current.load(Ordering::Relaxed);
        tables.renew();
        assert_ne!(tables.current.load(Ordering::Relaxed), first);
        assert_eq!(super::value(first, SITE, CALLEE).load(Ordering::Relaxed), 0);
        tables.predict(SITE, CALLEE, block(1), 5);
        assert_eq!(value(&tables, CALLEE), 0);
        tables.predict(SITE, CALLEE, block(2), 5);
        assert_eq!(value(&tables, CALLEE), 5);
    }

    #[test]
    fn a_link_that_must_not_be_used_is_predicted_nowhere() {
        let tables = Tables::reserve().unwrap();
        tables.predict(SITE, CALLEE, block(1), 5);
        tables.kill(SITE, CALLEE);
        assert_eq!(value(&tables, CALLEE), 0);
    }
}
