//! Constructors of the application's that those of subclasses call with nothing published, because
//! they reach no hooks.
//!
//! Invariant: who is told that a constructor is a leaf calls that very one. The loader that asks
//! has defined the class, so for this loader the name means it for ever; and the JVM has prepared
//! it, so what was filed is what was defined. A redefinition that gives a constructor a call ends
//! it, for the class and those below.
//! Source: JVMS 5.3, 5.4.3.1 (a name means one class for a loader); docs/design/emitted-code.md
//! ("JDK leaf calls").

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};

use lucce_classfile::Instrumented;
use lucce_words::ClassId;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::state::origin::Loader;
use crate::support::lock::Shared;

/// The classes that have such constructors.
#[derive(Default)]
pub struct LeafConstructors(Shared<Filed>);

#[derive(Default)]
struct Filed {
    /// By a hash of the name: one for each loader that has defined a class of it.
    classes: FxHashMap<u64, SmallVec<[Box<Class>; 1]>>,
    /// The hash of each class's name, but for those that are never unloaded.
    of: FxHashMap<ClassId, u64>,
}

struct Class {
    id: ClassId,
    loader: Loader,
    name: Box<[u8]>,
    /// The hash of its superclass's name.
    above: u64,
    /// Has the JVM prepared it? Until then it may turn out that it cannot be defined.
    prepared: bool,
    /// How many redefinitions are under way.
    changing: u32,
    /// None any more once that is in doubt.
    leaves: SmallVec<[Constructor; 1]>,
}

struct Constructor {
    desc: SmallVec<[u8; 16]>,
    /// Was somebody told that it is a leaf?
    relied: AtomicBool,
}

impl Class {
    fn is(&self, loader: Loader, name: &[u8]) -> bool {
        self.loader == loader && *self.name == *name
    }

    fn holds(&self) -> bool {
        self.prepared && self.changing == 0
    }
}

impl Filed {
    fn named(&mut self, name: &[u8]) -> impl Iterator<Item = &mut Class> {
        let known = self.classes.get_mut(&hash(name)).into_iter().flatten();
        known.map(Box::as_mut).filter(move |known| *known.name == *name)
    }

    fn find(&self, loader: Loader, name: u64, is: impl Fn(&Class) -> bool) -> Option<&Class> {
        self.classes.get(&name)?.iter().map(Box::as_ref).find(|known| known.loader == loader && is(known))
    }

    fn leaf(&self, loader: Loader, name: &[u8], desc: &[u8]) -> Option<&Constructor> {
        let known = self.find(loader, hash(name), |known| *known.name == *name).filter(|known| known.holds())?;
        known.leaves.iter().find(|leaf| *leaf.desc == *desc)
    }

    /// Nothing holds any more for those below the classes whose names have these hashes.
    fn doubt_below(&mut self, mut above: Vec<u64>) {
        while let Some(hash) = above.pop() {
            for (name, classes) in &mut self.classes {
                for known in classes.iter_mut().filter(|known| known.above == hash && !known.leaves.is_empty()) {
                    known.leaves.clear();
                    above.push(*name);
                }
            }
        }
    }
}

impl LeafConstructors {
    /// A class is about to be defined, for the first time. Should the loader try that again before
    /// one is prepared, nobody can say which it is.
    pub fn add(&self, loader: Loader, class: &Instrumented<'_>) {
        let Instrumented { id, name, leaf_constructors: leaves, .. } = class;
        let (hash, above) = (hash(name), class.super_name.map_or(0, hash));
        let filed = &mut *self.0.write();
        // One above may have begun to change since it was asked about.
        let doubted = |known: &Class| !known.holds() || known.leaves.is_empty();
        let doubtful = filed.find(loader, above, doubted).is_some();
        let classes = filed.classes.entry(hash).or_default();
        if let Some(known) = classes.iter_mut().find(|known| known.is(loader, name)) {
            if !known.prepared {
                known.leaves.clear();
            }
            return;
        }
        let constructor = |desc: &&[u8]| Constructor { desc: (*desc).into(), relied: AtomicBool::new(false) };
        let leaves = leaves.iter().filter(|_| !doubtful).map(constructor).collect();
        let (id, name) = (*id, (*name).into());
        classes.push(Box::new(Class { id, loader, name, above, prepared: false, changing: 0, leaves }));
        if loader.may_die() {
            filed.of.insert(id, hash);
        }
    }

    /// Is a class of this name waited for, to be prepared?
    pub fn awaits(&self, name: &[u8]) -> bool {
        let waits = |known: &Class| !known.prepared && *known.name == *name;
        self.0.read().classes.get(&hash(name)).is_some_and(|classes| classes.iter().map(Box::as_ref).any(waits))
    }

    /// The JVM has prepared the loader's class. One without leaf constructors need not be known any
    /// longer.
    pub fn prepared(&self, loader: Loader, name: &[u8]) {
        let filed = &mut *self.0.write();
        let hash = hash(name);
        let Some(classes) = filed.classes.get_mut(&hash) else { return };
        let Some(at) = classes.iter().position(|known| known.is(loader, name)) else { return };
        classes[at].prepared = true;
        if classes[at].leaves.is_empty() {
            let known = classes.swap_remove(at);
            filed.of.remove(&known.id);
            if classes.is_empty() {
                filed.classes.remove(&hash);
            }
        }
    }

    /// Is this constructor of the class that the loader has for the name a leaf? If so, the answer
    /// is relied on.
    pub fn is_leaf(&self, loader: Loader, name: &[u8], desc: &[u8]) -> bool {
        let filed = self.0.read();
        let found = filed.leaf(loader, name, desc);
        found.map(|leaf| leaf.relied.store(true, Ordering::Relaxed)).is_some()
    }

    /// A class of this name is about to be redefined: it is a leaf for nobody until
    /// [`Self::redefined`] is told.
    pub fn redefining(&self, name: &[u8]) {
        if self.0.read().classes.contains_key(&hash(name)) {
            self.0.write().named(name).for_each(|known| known.changing += 1);
        }
    }

    /// Its new version has these leaf constructors. The descriptors of those that are none any
    /// more, though somebody was told so.
    pub fn redefined(&self, name: &[u8], leaves: &[&[u8]]) -> Vec<Box<[u8]>> {
        let mut lost = Vec::new();
        if !self.0.read().classes.contains_key(&hash(name)) {
            return lost;
        }
        let filed = &mut *self.0.write();
        let (mut doubt, non_leaf) = (false, |one: &&Constructor| !leaves.contains(&&*one.desc));
        for known in filed.named(name) {
            known.changing = known.changing.saturating_sub(1);
            if known.leaves.iter().any(|one| non_leaf(&one)) {
                doubt = true;
                let relied = known.leaves.iter().filter(non_leaf).filter(|one| one.relied.load(Ordering::Relaxed));
                lost.extend(relied.map(|one| one.desc.as_slice().into()));
                known.leaves.clear();
            }
        }
        if doubt {
            filed.doubt_below(vec![hash(name)]);
        }
        lost
    }

    /// Forgets unloaded classes: with them those are gone that relied on them.
    pub fn forget(&self, classes: &[ClassId]) {
        let filed = &mut *self.0.write();
        for class in classes {
            let Some(hash) = filed.of.remove(class) else { continue };
            let Some(known) = filed.classes.get_mut(&hash) else { continue };
            known.retain(|known| known.id != *class);
            if known.is_empty() {
                filed.classes.remove(&hash);
            }
        }
    }
}

fn hash(name: &[u8]) -> u64 {
    FxBuildHasher.hash_one(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Loader = Loader::tagged(1);
    const OTHER: Loader = Loader::tagged(2);

    fn class(id: u32, leaves: &[&'static [u8]]) -> Instrumented<'static> {
        named(id, b"a/B", b"java/lang/Object", leaves)
    }

    fn named(id: u32, name: &'static [u8], above: &'static [u8], leaves: &[&'static [u8]]) -> Instrumented<'static> {
        Instrumented {
            bytes: Vec::new(),
            id: ClassId(id),
            name,
            super_name: Some(above),
            source_file: None,
            leaf_methods: Vec::new(),
            leaf_constructors: leaves.to_vec(),
            methods: Vec::new(),
            sites: Vec::new(),
        }
    }

    #[test]
    fn a_constructor_is_a_leaf_once_its_class_is_prepared_for_the_loader_that_has_defined_it() {
        let constructors = LeafConstructors::default();
        let leaves = |loader, desc: &[u8]| constructors.is_leaf(loader, b"a/B", desc);
        constructors.add(ONE, &class(1, &[b"()V"]));
        assert_eq!((leaves(ONE, b"()V"), constructors.awaits(b"a/B")), (false, true));
        constructors.prepared(OTHER, b"a/B");
        assert!(!leaves(ONE, b"()V"));
        constructors.prepared(ONE, b"a/B");
        assert_eq!((leaves(OTHER, b"()V"), leaves(ONE, b"(I)V")), (false, false));
        assert_eq!((leaves(ONE, b"()V"), constructors.awaits(b"a/B")), (true, false));
    }

    #[test]
    fn of_two_definitions_nobody_knows_which_one_it_is() {
        for orders in [[&[b"()V" as &[u8]][..], &[]], [&[], &[b"()V"]]] {
            let constructors = LeafConstructors::default();
            orders.iter().zip(1..).for_each(|(leaves, id)| constructors.add(ONE, &class(id, leaves)));
            constructors.prepared(ONE, b"a/B");
            assert!(!constructors.is_leaf(ONE, b"a/B", b"()V"));
        }
        let constructors = LeafConstructors::default();
        constructors.add(ONE, &class(1, &[b"()V"]));
        constructors.prepared(ONE, b"a/B");
        constructors.add(ONE, &class(2, &[]));
        assert!(constructors.is_leaf(ONE, b"a/B", b"()V"), "the second cannot be defined any more");
    }

    #[test]
    fn what_has_no_leaf_constructor_is_not_kept() {
        let constructors = LeafConstructors::default();
        constructors.add(ONE, &class(1, &[]));
        constructors.prepared(ONE, b"a/B");
        let filed = constructors.0.read();
        assert_eq!((filed.classes.len(), filed.of.len()), (0, 0));
    }

    #[test]
    fn none_is_a_leaf_while_its_class_is_redefined_nor_behind_it_if_it_calls_something() {
        let constructors = LeafConstructors::default();
        constructors.add(ONE, &class(1, &[b"()V", b"(I)V"]));
        constructors.prepared(ONE, b"a/B");
        let leaves = || constructors.is_leaf(ONE, b"a/B", b"()V");
        constructors.redefining(b"a/B");
        assert!(!leaves());
        assert!(constructors.redefined(b"a/B", &[b"()V", b"(I)V"]).is_empty());
        assert!(leaves());
        constructors.redefining(b"a/B");
        assert_eq!(constructors.redefined(b"a/B", &[b"(I)V"]), [(*b"()V").into()]);
        assert!(!leaves());
    }

    #[test]
    fn a_class_below_one_that_is_redefined_is_no_leaf() {
        let constructors = LeafConstructors::default();
        let leaves = || [b"A", b"B", b"C", b"D"].map(|name| constructors.is_leaf(ONE, name, b"()V"));
        for (id, name, above) in [(1, b"A", b"O"), (2, b"B", b"A"), (3, b"C", b"B"), (4, b"D", b"O")] {
            constructors.add(ONE, &named(id, name, above, &[b"()V"]));
            constructors.prepared(ONE, name);
        }
        constructors.redefining(b"A");
        assert_eq!(constructors.redefined(b"A", &[b"()V"]).len() + leaves().iter().filter(|leaf| !**leaf).count(), 0);
        constructors.redefining(b"A");
        constructors.redefined(b"A", &[]);
        assert_eq!(leaves(), [false, false, false, true]);
        // Asked about before, filed behind.
        constructors.add(ONE, &named(5, b"E", b"A", &[b"()V"]));
        constructors.prepared(ONE, b"E");
        assert!(!constructors.is_leaf(ONE, b"E", b"()V"));
    }

    #[test]
    fn what_is_unloaded_is_forgotten() {
        let constructors = LeafConstructors::default();
        constructors.add(ONE, &class(1, &[b"()V"]));
        constructors.add(OTHER, &class(2, &[b"()V"]));
        [ONE, OTHER].into_iter().for_each(|loader| constructors.prepared(loader, b"a/B"));
        constructors.forget(&[ClassId(1)]);
        assert_eq!(
            (constructors.is_leaf(ONE, b"a/B", b"()V"), constructors.is_leaf(OTHER, b"a/B", b"()V")),
            (false, true)
        );
        constructors.forget(&[ClassId(2), ClassId(3)]);
        let filed = constructors.0.read();
        assert_eq!((filed.classes.len(), filed.of.len()), (0, 0));
    }
}
