//! The application's own methods that the rewriter has called with nothing published, because they reach no hooks.
//!
//! Invariant: a method that is filed here once is entered untrusted by every later version of its class that has hooks in it, for old
//! activations still call it so. Source: ARCHITECTURE, "Emitted code".

use std::hash::{BuildHasher, Hash};

use lucce_classfile::Instrumented;
use lucce_words::ClassId;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::lock::Shared;

/// The methods that were called somewhere with nothing published, for they have no hooks (`Instrumented::quiet`): by hashes of class, and of name
/// and descriptor, for two that share one cost speed only.
#[derive(Default)]
pub struct Quiet(Shared<Filed>);

#[derive(Default)]
struct Filed {
    /// By the class's name: its methods, ascending, and how many classes have filed each.
    times: FxHashMap<u64, Vec<(u64, u32)>>,
    /// The name of each class that may be unloaded, and what it has filed.
    of: FxHashMap<ClassId, (u64, Box<[u64]>)>,
}

impl Quiet {
    /// Files those of a class that is about to be defined. `mortal`: whether it may be unloaded.
    pub fn add(&self, mortal: bool, class: &Instrumented<'_>) {
        if class.quiet.is_empty() {
            return;
        }
        let mut methods: Vec<_> = class.quiet.iter().map(|method| (hash(method), 1)).collect();
        methods.sort_unstable();
        methods.dedup();
        let name = hash(class.name);
        let filed = &mut *self.0.write();
        if mortal {
            filed.of.insert(class.id, (name, methods.iter().map(|one| one.0).collect()));
        }
        let times = filed.times.entry(name).or_default();
        if times.is_empty() {
            *times = methods;
            return;
        }
        for (method, _) in methods {
            match times.binary_search_by_key(&method, |one| one.0) {
                Ok(at) => times[at].1 += 1,
                Err(at) => times.insert(at, (method, 1)),
            }
        }
    }

    /// Is the method one of them, in some class of this name?
    pub fn contains(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let filed = self.0.read();
        let method = hash((name, desc));
        let found = |times: &Vec<(u64, u32)>| times.binary_search_by_key(&method, |one| one.0).is_ok();
        filed.times.get(&hash(class)).is_some_and(found)
    }

    /// Forgets those of unloaded classes: no activation is left that calls them.
    pub fn forget(&self, classes: &[ClassId]) {
        let filed = &mut *self.0.write();
        for (name, methods) in classes.iter().filter_map(|class| filed.of.remove(class)) {
            let Some(times) = filed.times.get_mut(&name) else { continue };
            let counted = times.iter_mut().filter(|one| methods.binary_search(&one.0).is_ok());
            counted.for_each(|one| one.1 -= 1);
            times.retain(|one| one.1 > 0);
            if times.is_empty() {
                filed.times.remove(&name);
            }
        }
    }
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
            quiet: methods.iter().map(|name| (*name, &b"()V"[..])).collect(),
            quiet_constructors: Vec::new(),
            methods: Vec::new(),
            sites: Vec::new(),
        };
        let quiet = Quiet::default();
        let add = |id, methods: &[&'static [u8]]| quiet.add(true, &class(id, methods));
        add(1, &[b"x", b"y"]);
        add(2, &[b"z", b"x"]);
        let known = || [&b"x"[..], b"y", b"z"].map(|name| quiet.contains(b"a/B", name, b"()V"));
        assert_eq!((known(), quiet.contains(b"a/C", b"x", b"()V")), ([true; 3], false));
        quiet.forget(&[ClassId(1), ClassId(3)]);
        assert_eq!(known(), [true, false, true]);
        quiet.forget(&[ClassId(2)]);
        assert_eq!((known(), quiet.0.read().times.len(), quiet.0.read().of.len()), ([false; 3], 0, 0));
        quiet.add(false, &class(4, &[b"y"]));
        quiet.forget(&[ClassId(4)]);
        assert_eq!((known(), quiet.0.read().of.len()), ([false, true, false], 0));
    }
}
