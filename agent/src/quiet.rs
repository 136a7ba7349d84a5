//! The application's own methods that the rewriter has called with nothing published, because they reach no hooks.
//!
//! Invariant: a method that is filed here once is entered untrusted by every later version of its class that has hooks in it, for old
//! activations still call it so. Source: ARCHITECTURE, "Emitted code".

use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};

use lucce_classfile::Instrumented;
use lucce_words::ClassId;
use rustc_hash::{FxHashMap, FxHasher};

use crate::lock::Shared;

/// The methods that were called somewhere with nothing published, for they have no hooks (`Instrumented::quiet`): by a hash of class, name and
/// descriptor, for two that share one cost speed only.
#[derive(Default)]
pub struct Quiet(Shared<Filed>);

#[derive(Default)]
struct Filed {
    /// How many classes have filed it.
    times: FxHashMap<u64, u32>,
    /// What each class has filed.
    of: FxHashMap<ClassId, Box<[u64]>>,
}

impl Quiet {
    /// Files those of a class that is about to be defined.
    pub fn add(&self, class: &Instrumented<'_>) {
        if class.quiet.is_empty() {
            return;
        }
        let all: Box<[u64]> = class.quiet.iter().map(|(name, desc)| hash(class.name, name, desc)).collect();
        let filed = &mut *self.0.write();
        all.iter().for_each(|&one| *filed.times.entry(one).or_default() += 1);
        filed.of.insert(class.id, all);
    }

    /// Is the method one of them, in some class of this name?
    pub fn contains(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.0.read().times.contains_key(&hash(class, name, desc))
    }

    /// Forgets those of unloaded classes: no activation is left that calls them.
    pub fn forget(&self, classes: &[ClassId]) {
        let filed = &mut *self.0.write();
        for one in classes.iter().filter_map(|class| filed.of.remove(class)).flatten() {
            if let Entry::Occupied(mut times) = filed.times.entry(one) {
                *times.get_mut() -= 1;
                if *times.get() == 0 {
                    times.remove();
                }
            }
        }
    }
}

fn hash(class: &[u8], name: &[u8], desc: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    (class, name, desc).hash(&mut hasher);
    hasher.finish()
}
