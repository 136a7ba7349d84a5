//! What the agent knows of classes and their methods: what was rewritten, and what the code without
//! hooks may do between what was.
//!
//! Invariant: what is asked about a class before it can run was filed before that. Source:
//! docs/design/mechanisms.md.

use std::sync::Arc;

use lucce_words::MethodId;

use crate::state::cache::Cache;
use crate::state::catalog::Catalog;
use crate::state::demand::Demand;
use crate::state::foreign::Foreign;
use crate::state::guarded::Guarded;
use crate::state::hidden_loaders::HiddenLoaders;
use crate::state::hidden_methods::HiddenMethods;
use crate::state::interposable::Interposable;
use crate::state::leaf_constructors::LeafConstructors;
use crate::state::leaf_methods::LeafMethods;
use crate::state::origin::ClassOrigins;
use crate::state::unload::Unloading;
use crate::support::dead::Dead;

/// All about classes.
pub struct Classes {
    /// Classes, methods, sites. One in a process, for threads remember its ids.
    pub catalog: Arc<Catalog>,
    /// Classes from earlier runs, with `cache`.
    pub cache: Option<Cache>,
    /// Which classes are the JDK's.
    pub origin: ClassOrigins,
    /// Which methods are active, with `hooks=demand`.
    pub demand: Demand,
    /// Interposable signatures, inert classes.
    pub interposable: Interposable,
    /// Methods that are called with nothing published.
    pub leaf_methods: LeafMethods,
    /// Constructors that subclasses may call so.
    pub leaf_constructors: LeafConstructors,
    /// Methods of uninstrumented classes with a Guard.
    pub guarded: Guarded,
    /// Methods whose code another agent changed after us.
    pub foreign: Foreign,
    /// Methods of the JDK that the JVM hides.
    pub hidden_methods: HiddenMethods,
    /// Class loaders without a guard.
    pub hidden_loaders: HiddenLoaders,
    /// Which loaders may be unloaded, and what goes with them.
    pub unloading: Unloading,
}

impl Classes {
    /// Nothing but what `catalog` and `cache` have is known yet, in a JVM whose JDK is in the
    /// folder `home`.
    pub fn of_run(home: Option<&str>, catalog: Arc<Catalog>, cache: Option<Cache>, demand: Demand) -> Self {
        Self {
            catalog,
            cache,
            origin: ClassOrigins::new(home),
            demand,
            interposable: Interposable::default(),
            leaf_methods: LeafMethods::default(),
            leaf_constructors: LeafConstructors::default(),
            guarded: Guarded::default(),
            foreign: Foreign::default(),
            hidden_methods: HiddenMethods::default(),
            hidden_loaders: HiddenLoaders::default(),
            unloading: Unloading::default(),
        }
    }

    /// Is the method a constructor?
    pub fn is_constructor(&self, method: MethodId) -> bool {
        self.catalog.method(method).is_some_and(|entry| entry.is_constructor())
    }

    /// Forgets what the rewriter was told of unloaded classes. What they were, the catalogue
    /// forgets by itself.
    pub fn forget(&self, dead: &Dead) {
        self.leaf_methods.forget(&dead.classes);
        self.leaf_constructors.forget(&dead.classes);
        self.demand.forget(dead);
        self.interposable.forget(dead);
        self.foreign.forget(dead);
    }
}
