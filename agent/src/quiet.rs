//! The application's own methods that the rewriter has called with nothing published, because they reach no hooks.
//!
//! Invariant: a method that is filed here once is entered untrusted by every later version of its class that has hooks in it, for old
//! activations still call it so. Source: ARCHITECTURE, "Emitted code".

use std::hash::{Hash, Hasher};

use lucce_classfile::Instrumented;
use lucce_words::ClassId;
use rustc_hash::{FxHashMap, FxHasher};

use crate::lock::Shared;

/// The methods that were called somewhere with nothing published, for they have no hooks (`Instrumented::quiet`): by hashes of class, and of name
/// and descriptor, for two that share one cost speed only.
#[derive(Default)]
pub struct Quiet(Shared<Filed>);

#[derive(Default)]
struct Filed {
    /// The classes of each name that have filed some.
    named: FxHashMap<u64, Vec<ClassId>>,
    /// The name of each class, and what it has filed, ascending.
    of: FxHashMap<ClassId, (u64, Box<[u64]>)>,
}

impl Quiet {
    /// Files those of a class that is about to be defined.
    pub fn add(&self, class: &Instrumented<'_>) {
        if class.quiet.is_empty() {
            return;
        }
        let name = hash(class.name);
        let mut methods: Box<[u64]> = class.quiet.iter().map(hash).collect();
        methods.sort_unstable();
        let filed = &mut *self.0.write();
        filed.named.entry(name).or_default().push(class.id);
        filed.of.insert(class.id, (name, methods));
    }

    /// Is the method one of them, in some class of this name?
    pub fn contains(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let filed = self.0.read();
        let Some(classes) = filed.named.get(&hash(class)) else { return false };
        let method = hash((name, desc));
        classes
            .iter()
            .filter_map(|class| filed.of.get(class))
            .any(|(_, methods)| methods.binary_search(&method).is_ok())
    }

    /// Forgets those of unloaded classes: no activation is left that calls them.
    pub fn forget(&self, classes: &[ClassId]) {
        let filed = &mut *self.0.write();
        for class in classes {
            let Some((name, _)) = filed.of.remove(class) else { continue };
            if let Some(all) = filed.named.get_mut(&name) {
                all.retain(|one| one != class);
                if all.is_empty() {
                    filed.named.remove(&name);
                }
            }
        }
    }
}

fn hash(name: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    hasher.finish()
}
