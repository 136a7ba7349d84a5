//! The application's own methods that the rewriter has called with nothing published, because they reach no hooks.
//!
//! Invariant: a method that is filed here once is entered untrusted by every later version of its class that has hooks in it, for old
//! activations still call it so. Source: ARCHITECTURE, "Emitted code".

use std::hash::{Hash, Hasher};

use lucce_classfile::Instrumented;
use rustc_hash::{FxHashSet, FxHasher};

use crate::lock::Shared;

/// The methods that were called somewhere with nothing published, for they have no hooks (`Instrumented::quiet`): by a hash of class, name and
/// descriptor, for two that share one cost speed only.
#[derive(Default)]
pub struct Quiet(Shared<FxHashSet<u64>>);

impl Quiet {
    /// Files those of a class that is about to be defined.
    pub fn add(&self, class: &Instrumented<'_>) {
        if !class.quiet.is_empty() {
            self.0.write().extend(class.quiet.iter().map(|(name, desc)| hash(class.name, name, desc)));
        }
    }

    /// Is the method one of them, in some class of this name?
    pub fn contains(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.0.read().contains(&hash(class, name, desc))
    }
}

fn hash(class: &[u8], name: &[u8], desc: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    (class, name, desc).hash(&mut hasher);
    hasher.finish()
}
