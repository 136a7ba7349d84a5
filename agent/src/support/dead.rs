//! What belongs to classes that the JVM has unloaded: each table forgets it.
//!
//! Invariant: the sets hold what the lists hold. Source: `crate::state::unload`.

use lucce_words::{ClassId, MethodId, SiteId};
use rustc_hash::FxHashSet;

/// What belongs to unloaded classes.
pub struct Dead {
    /// The classes.
    pub classes: Vec<ClassId>,
    /// Their methods.
    pub methods: Vec<MethodId>,
    /// Their sites.
    pub sites: Vec<SiteId>,
    all_methods: FxHashSet<MethodId>,
    all_sites: FxHashSet<SiteId>,
}

impl Dead {
    /// Classes with their methods and sites.
    pub fn new(classes: Vec<ClassId>, methods: Vec<MethodId>, sites: Vec<SiteId>) -> Self {
        let (all_methods, all_sites) = (methods.iter().copied().collect(), sites.iter().copied().collect());
        Self { classes, methods, sites, all_methods, all_sites }
    }

    /// Does one end of the call belong to them?
    pub fn has(&self, site: SiteId, callee: MethodId) -> bool {
        self.all_methods.contains(&callee) || self.all_sites.contains(&site)
    }

    /// Is the site one of theirs?
    pub fn has_site(&self, site: SiteId) -> bool {
        self.all_sites.contains(&site)
    }

    /// Is the method one of them?
    pub fn has_method(&self, method: MethodId) -> bool {
        self.all_methods.contains(&method)
    }
}
