//! The table that the hooks ask first: what is predicted for each site's call.
//!
//! Invariant: an entry is one word, stored at once, that says by itself for which callee and which of the caller's words it holds
//! (`lucce_words::Value`), or the address of a link's record with the sign bit, or nothing (zero). So entries can be overwritten, and pages
//! given back, while hooks read. Layout mirrored in `LucceLinks`.

use std::sync::atomic::{AtomicI64, Ordering};

use lucce_words::{MethodId, SiteId, Value, WAYS};
use rustc_hash::FxHashSet;

use crate::hook_tables::memory::{give_back, page};
use crate::hook_tables::sparse::Sparse;
use crate::support::dead::Dead;

/// Most methods a run can have.
pub const MAX_METHODS: u32 = MethodId::LIMIT;
/// Most sites a run can have.
pub const MAX_SITES: u32 = (WAY / 8 - BEFORE / 8) as u32;

/// Bytes of the values of all sites, for one way: that of the callees with the same low bits. So the callees of one site seldom push each
/// other out.
const WAY: usize = 1 << 26;
/// Bytes before the first value, for the special sites below 0. Whole pages, whatever their size.
const BEFORE: usize = 1 << 16;
const BYTES: usize = BEFORE + WAYS as usize * WAY;

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

    /// The link's record is to be looked at first, where no value is; only under the encoder's lock. `always`: it is a cut link's, and holds
    /// for every word of the caller, so that its site and callee are all that must be compared.
    pub fn point(&self, site: SiteId, callee: MethodId, record: u64, always: bool) {
        if let Some(entry) = self.opened(site, callee).filter(|entry| entry.load(Ordering::Relaxed) <= 0) {
            entry.store((record | 1 << 63 | u64::from(always)) as i64, Ordering::Release);
        }
    }

    /// Gives back the pages in which nothing stands but values of unloaded sites; only under the encoder's lock. `has_no_site`: is none of the ids
    /// from one up to another a site?
    pub fn forget(&self, has_no_site: impl Fn(u32, u32) -> bool, dead: &Dead) {
        let entries = (page() / 8) as u32;
        for at in dead.sites.iter().map(|site| site.0 / entries).collect::<FxHashSet<u32>>() {
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

#[cfg(test)]
mod tests {
    use lucce_words::Version;

    use super::*;

    const SITE: SiteId = SiteId(77);
    const CALLEE: MethodId = MethodId(9);

    fn at(values: &Values, callee: MethodId) -> i64 {
        values.entry(SITE, callee).load(Ordering::Relaxed)
    }

    fn value(callee: MethodId) -> Value {
        Value::new(Version(1), callee, 5).unwrap()
    }

    #[test]
    fn what_is_found_often_takes_over_and_an_address_does_not() {
        let values = Values::reserve().unwrap();
        let other = MethodId(CALLEE.0 + WAYS);
        values.point(SITE, CALLEE, 64, true);
        assert_eq!(at(&values, CALLEE), i64::MIN | 65);
        values.predict(SITE, CALLEE, value(CALLEE));
        values.predict(SITE, other, value(other));
        values.point(SITE, CALLEE, 64, false);
        assert_eq!(at(&values, CALLEE), value(other).0);
        values.predict(SITE, CALLEE, value(CALLEE));
        assert_eq!(at(&values, CALLEE), value(CALLEE).0);
        assert_eq!(at(&values, MethodId(CALLEE.0 + 1)), 0);
    }

    #[test]
    fn nothing_is_predicted_of_what_was_killed_or_cleared() {
        let values = Values::reserve().unwrap();
        let end: [fn(&Values); 2] = [|values| values.kill(SITE, CALLEE), Values::clear];
        for end in end {
            values.predict(SITE, CALLEE, value(CALLEE));
            end(&values);
            assert_eq!(at(&values, CALLEE), 0);
        }
    }
}
