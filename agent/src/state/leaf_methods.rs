//! The application's own methods that the rewriter has called with nothing published, because they
//! reach no hooks.
//!
//! Invariant: a method that is filed here once is entered untrusted by every later version of its
//! class that has hooks in it, for old activations still call it so. Source:
//! docs/design/emitted-code.md.

use std::hash::{BuildHasher, Hash};

use lucce_classfile::Instrumented;
use lucce_words::ClassId;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::support::lock::Lock;

/// The methods that were called somewhere with nothing published, for they have no hooks
/// (`Instrumented::leaf_methods`): by a hash of class, name and descriptor, for two that share one
/// cost speed only.
#[derive(Default)]
pub struct LeafMethods(Lock<Filed>);

#[derive(Default)]
struct Filed {
    /// Each method with its class, as they came: nearly every class is filed, and hardly one is
    /// asked about.
    methods: Vec<(ClassId, u32)>,
    /// The first so many of them, to be found.
    index: FxHashSet<u32>,
    indexed: usize,
}

impl LeafMethods {
    /// Files those of a class that is about to be defined.
    pub fn add(&self, class: &Instrumented<'_>) {
        if class.leaf_methods.is_empty() {
            return;
        }
        let owner = hash(class.name);
        let methods = class.leaf_methods.iter().map(|(name, desc)| (class.id, of(owner, name, desc)));
        self.0.lock().methods.extend(methods);
    }

    /// Is the method one of them, in some class of this name?
    pub fn contains(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let method = of(hash(class), name, desc);
        let Filed { methods, index, indexed } = &mut *self.0.lock();
        index.extend(methods[*indexed..].iter().map(|one| one.1));
        *indexed = methods.len();
        index.contains(&method)
    }

    /// Forgets those of unloaded classes: no activation is left that calls them.
    pub fn forget(&self, classes: &[ClassId]) {
        let Filed { methods, index, indexed } = &mut *self.0.lock();
        let dead: FxHashSet<_> = classes.iter().collect();
        methods.retain(|one| !dead.contains(&one.0));
        methods.shrink_to(2 * methods.len());
        index.clear();
        *indexed = 0;
    }
}

fn of(owner: u64, name: &[u8], desc: &[u8]) -> u32 {
    // The upper half: the hasher spreads by a multiplication and a rotation.
    (hash((owner, name, desc)) >> 32) as u32
}

fn hash(name: impl Hash) -> u64 {
    FxBuildHasher.hash_one(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_known_until_the_last_class_that_filed_it_is_unloaded() {
        let class = |id, methods: &[&'static [u8]]| Instrumented {
            bytes: Vec::new(),
            id: ClassId(id),
            name: b"a/B",
            super_name: None,
            source_file: None,
            leaf_methods: methods.iter().map(|name| (*name, &b"()V"[..])).collect(),
            leaf_constructors: Vec::new(),
            methods: Vec::new(),
            sites: Vec::new(),
        };
        let leaves = LeafMethods::default();
        let add = |id, methods: &[&'static [u8]]| leaves.add(&class(id, methods));
        add(1, &[b"x", b"y"]);
        let known = || [&b"x"[..], b"y", b"z"].map(|name| leaves.contains(b"a/B", name, b"()V"));
        assert_eq!(known(), [true, true, false]);
        add(2, &[b"z", b"x"]);
        assert_eq!((known(), leaves.contains(b"a/C", b"x", b"()V")), ([true; 3], false));
        leaves.forget(&[ClassId(1), ClassId(3)]);
        assert_eq!(known(), [true, false, true]);
        leaves.forget(&[ClassId(2)]);
        assert_eq!((known(), leaves.0.lock().methods.len()), ([false; 3], 0));
    }
}
