//! The application's own methods that the rewriter has called with nothing published, because they reach no hooks.
//!
//! Invariant: a method that is filed here once is entered untrusted by every later version of its class that has hooks in it, for old
//! activations still call it so. Source: ARCHITECTURE, "Emitted code".

use std::hash::{BuildHasher, Hash};

use lucce_classfile::Instrumented;
use lucce_words::ClassId;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::lock::Shared;

/// What one class has called so, by hashes.
pub struct Called {
    /// The name of the class.
    class: u64,
    /// The methods, ascending.
    methods: Box<[u64]>,
}

impl Called {
    /// Reads it from what the rewriter said.
    pub fn of(class: &Instrumented<'_>) -> Self {
        let mut methods: Vec<u64> = class.quiet.iter().map(hash).collect();
        methods.sort_unstable();
        methods.dedup();
        Self { class: hash(class.name), methods: methods.into() }
    }
}

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
    /// Files those of a class that is about to be defined. `id` only where it may be unloaded.
    pub fn add(&self, id: Option<ClassId>, called: Called) {
        let Called { class: name, methods } = called;
        if methods.is_empty() {
            return;
        }
        let filed = &mut *self.0.write();
        let times = filed.times.entry(name).or_default();
        if times.is_empty() {
            times.extend(methods.iter().map(|method| (*method, 1)));
        } else {
            for method in &*methods {
                match times.binary_search_by_key(method, |one| one.0) {
                    Ok(at) => times[at].1 += 1,
                    Err(at) => times.insert(at, (*method, 1)),
                }
            }
        }
        if let Some(id) = id {
            filed.of.insert(id, (name, methods));
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
        };
        let quiet = Quiet::default();
        let add = |id, methods: &[&'static [u8]]| quiet.add(Some(ClassId(id)), Called::of(&class(id, methods)));
        add(1, &[b"x", b"y"]);
        add(2, &[b"z", b"x"]);
        let known = || [&b"x"[..], b"y", b"z"].map(|name| quiet.contains(b"a/B", name, b"()V"));
        assert_eq!((known(), quiet.contains(b"a/C", b"x", b"()V")), ([true; 3], false));
        quiet.forget(&[ClassId(1), ClassId(3)]);
        assert_eq!(known(), [true, false, true]);
        quiet.forget(&[ClassId(2)]);
        assert_eq!((known(), quiet.0.read().times.len(), quiet.0.read().of.len()), ([false; 3], 0, 0));
        quiet.add(None, Called::of(&class(4, &[b"y"])));
        quiet.forget(&[ClassId(4)]);
        assert_eq!((known(), quiet.0.read().of.len()), ([false, true, false], 0));
    }
}
