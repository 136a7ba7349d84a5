//! Ids in order, for whoever keeps no catalog: tests, tools and benchmarks.
//!
//! Invariant: an id is given once, and none once they have run out.

use lucce_words::{ClassId, MethodId, SiteId};

use crate::Ids;

/// Ids that count up. Each field but the last is the id that is given next.
#[derive(Clone, Debug)]
pub struct SequentialIds {
    /// Of classes.
    pub class: u32,
    /// Of methods.
    pub method: u32,
    /// Of sites.
    pub site: u32,
    /// So many sites are left.
    pub sites: u32,
}

impl Default for SequentialIds {
    /// From the first ids on.
    fn default() -> Self {
        Self { class: 1, method: 1, site: SiteId::FIRST.0, sites: u32::MAX }
    }
}

impl SequentialIds {
    /// From ids on that need what those of a large program need: one instruction is too short for
    /// most of them.
    pub fn large() -> Self {
        Self { method: 40_001, site: 100_001, ..Self::default() }
    }
}

impl Ids for SequentialIds {
    fn class(&mut self) -> Option<ClassId> {
        next(&mut self.class).map(ClassId)
    }

    fn method(&mut self) -> Option<MethodId> {
        next(&mut self.method).map(MethodId)
    }

    fn site(&mut self) -> Option<SiteId> {
        self.sites = self.sites.checked_sub(1)?;
        next(&mut self.site).map(SiteId)
    }
}

fn next(id: &mut u32) -> Option<u32> {
    let given = *id;
    *id = given.checked_add(1)?;
    Some(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_given_once_until_they_run_out() {
        let mut ids = SequentialIds { method: u32::MAX - 2, sites: 2, ..SequentialIds::default() };
        let methods: Vec<_> = std::iter::from_fn(|| ids.method()).take(9).collect();
        assert_eq!(methods, [MethodId(u32::MAX - 2), MethodId(u32::MAX - 1)]);
        let sites: Vec<_> = std::iter::from_fn(|| ids.site()).take(9).collect();
        assert_eq!(sites, [SiteId::FIRST, SiteId(SiteId::FIRST.0 + 1)]);
        assert_eq!([ids.class(), ids.class()], [Some(ClassId(1)), Some(ClassId(2))]);
    }
}
