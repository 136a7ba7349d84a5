//! Constructors of the application's that those of subclasses call with nothing published, because they reach no hooks.
//!
//! Invariant: who is told that a constructor is quiet calls that very one. The loader that asks has defined the class, so for this loader the name
//! means it for ever; and the JVM has prepared it, so what was filed is what was defined. A class that is redefined is quiet for nobody any
//! more; and those of its constructors that were taken for quiet are entered untrusted by every version that has hooks in them.
//! Source: JVMS 5.3, 5.4.3.1 (a name means one class for a loader); ARCHITECTURE, "Closed calls".

use std::hash::{Hash, Hasher};

use lucce_classfile::Instrumented;
use lucce_words::ClassId;
use rustc_hash::{FxHashMap, FxHasher};

use crate::lock::Shared;
use crate::origin::Loader;

/// The classes that have such constructors.
#[derive(Default)]
pub struct Supers(Shared<Filed>);

#[derive(Default)]
struct Filed {
    /// By a hash of the name: one for each loader that has defined a class of it.
    classes: FxHashMap<u64, Vec<Class>>,
    /// The hash of each class's name, but for those that are never unloaded.
    of: FxHashMap<ClassId, u64>,
}

struct Class {
    id: ClassId,
    loader: Loader,
    name: Box<[u8]>,
    /// The hash of its superclass's name, whose constructors its own call.
    above: u64,
    state: State,
    quiet: Box<[Constructor]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It may yet turn out that it cannot be defined.
    Defining,
    /// The JVM has it as it was filed.
    Prepared,
    /// There is, or may be, another version, of it or of a class above it.
    Changed,
}

struct Constructor {
    desc: Box<[u8]>,
    /// Was somebody told that it is quiet?
    relied: bool,
}

impl Supers {
    /// A class is about to be defined, for the first time. Should the loader try that again, nobody can say which becomes the class.
    pub fn add(&self, loader: Loader, class: &Instrumented<'_>) {
        let hash = hash(class.name);
        let defined = |known: &Class| known.loader == loader && *known.name == *class.name;
        // Most classes have none that is quiet, and were not tried before.
        if class.quiet_constructors.is_empty() && !self.0.read().classes.contains_key(&hash) {
            return;
        }
        let filed = &mut *self.0.write();
        let classes = filed.classes.entry(hash).or_default();
        if let Some(known) = classes.iter_mut().find(|known| defined(known)) {
            known.state = State::Changed;
            return;
        }
        let constructor = |desc: &&[u8]| Constructor { desc: (*desc).into(), relied: false };
        let quiet = class.quiet_constructors.iter().map(constructor).collect();
        let above = class.super_name.map_or(0, self::hash);
        classes.push(Class { id: class.id, loader, name: class.name.into(), above, state: State::Defining, quiet });
        if loader.may_die() {
            filed.of.insert(class.id, hash);
        }
    }

    /// Is a class of this name waited for, to be prepared?
    pub fn awaits(&self, name: &[u8]) -> bool {
        let waits = |known: &Class| known.state == State::Defining && *known.name == *name;
        self.0.read().classes.get(&hash(name)).is_some_and(|classes| classes.iter().any(waits))
    }

    /// The JVM has prepared the loader's class.
    pub fn prepared(&self, loader: Loader, name: &[u8]) {
        let mut filed = self.0.write();
        let classes = filed.classes.get_mut(&hash(name)).into_iter().flatten();
        for known in classes.filter(|known| known.loader == loader && *known.name == *name) {
            if known.state == State::Defining {
                known.state = State::Prepared;
            }
        }
    }

    /// A class of this name is about to be redefined: nothing holds any more for it, nor for those below.
    pub fn redefining(&self, name: &[u8]) {
        let hash = hash(name);
        if !self.0.read().classes.contains_key(&hash) {
            return;
        }
        let mut filed = self.0.write();
        let mut changed = vec![hash];
        while let Some(hash) = changed.pop() {
            for (below, classes) in &mut filed.classes {
                for known in classes.iter_mut().filter(|known| *below == hash || known.above == hash) {
                    if known.state != State::Changed {
                        known.state = State::Changed;
                        changed.push(*below);
                    }
                }
            }
        }
    }

    /// Is this constructor of the class that the loader has for the name quiet? If so, the answer is relied on.
    pub fn is_quiet(&self, loader: Loader, name: &[u8], desc: &[u8]) -> bool {
        let hash = hash(name);
        if !self.0.read().classes.contains_key(&hash) {
            return false;
        }
        let mut filed = self.0.write();
        let mut classes = filed.classes.get_mut(&hash).into_iter().flatten();
        let known = classes.find(|known| known.loader == loader && *known.name == *name);
        let Some(known) = known.filter(|known| known.state == State::Prepared) else { return false };
        let found = known.quiet.iter_mut().find(|quiet| *quiet.desc == *desc);
        found.map(|quiet| quiet.relied = true).is_some()
    }

    /// Was somebody told that this constructor, of some class of that name, is quiet?
    pub fn was_quiet(&self, name: &[u8], desc: &[u8]) -> bool {
        let relied = |known: &Class| {
            *known.name == *name && known.quiet.iter().any(|quiet| quiet.relied && *quiet.desc == *desc)
        };
        self.0.read().classes.get(&hash(name)).is_some_and(|classes| classes.iter().any(relied))
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
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Loader = Loader::tagged(1);
    const OTHER: Loader = Loader::tagged(2);

    fn class(id: u32, quiet: &[&'static [u8]]) -> Instrumented<'static> {
        named(id, b"a/B", b"java/lang/Object", quiet)
    }

    fn named(id: u32, name: &'static [u8], above: &'static [u8], quiet: &[&'static [u8]]) -> Instrumented<'static> {
        Instrumented {
            bytes: Vec::new(),
            id: ClassId(id),
            name,
            super_name: Some(above),
            source_file: None,
            quiet: Vec::new(),
            quiet_constructors: quiet.to_vec(),
            methods: Vec::new(),
        }
    }

    #[test]
    fn a_constructor_is_quiet_once_its_class_is_prepared_for_the_loader_that_has_defined_it() {
        let supers = Supers::default();
        let quiet = |loader, desc: &[u8]| supers.is_quiet(loader, b"a/B", desc);
        supers.add(ONE, &class(1, &[b"()V"]));
        assert_eq!((quiet(ONE, b"()V"), supers.awaits(b"a/B")), (false, true));
        supers.prepared(OTHER, b"a/B");
        assert!(!quiet(ONE, b"()V"));
        supers.prepared(ONE, b"a/B");
        assert_eq!(
            (quiet(OTHER, b"()V"), quiet(ONE, b"(I)V"), supers.was_quiet(b"a/B", b"()V")),
            (false, false, false)
        );
        assert_eq!((quiet(ONE, b"()V"), supers.awaits(b"a/B")), (true, false));
        assert_eq!((supers.was_quiet(b"a/B", b"()V"), supers.was_quiet(b"a/B", b"(I)V")), (true, false));
    }

    #[test]
    fn none_is_quiet_of_a_class_that_was_defined_twice_or_redefined() {
        for redefined in [false, true] {
            let supers = Supers::default();
            supers.add(ONE, &class(1, &[b"()V"]));
            if redefined {
                supers.prepared(ONE, b"a/B");
                assert!(supers.is_quiet(ONE, b"a/B", b"()V"));
                supers.redefining(b"a/B");
            } else {
                supers.add(ONE, &class(2, &[]));
                supers.prepared(ONE, b"a/B");
            }
            assert_eq!((supers.is_quiet(ONE, b"a/B", b"()V"), supers.was_quiet(b"a/B", b"()V")), (false, redefined));
        }
    }

    #[test]
    fn a_class_below_one_that_is_redefined_is_not_quiet() {
        let supers = Supers::default();
        for (id, name, above) in [(1, b"A", b"O"), (2, b"B", b"A"), (3, b"C", b"B"), (4, b"D", b"O")] {
            supers.add(ONE, &named(id, name, above, &[b"()V"]));
            supers.prepared(ONE, name);
        }
        supers.redefining(b"A");
        assert_eq!(
            [b"A", b"B", b"C", b"D"].map(|name| supers.is_quiet(ONE, name, b"()V")),
            [false, false, false, true]
        );
    }

    #[test]
    fn what_is_unloaded_is_forgotten() {
        let supers = Supers::default();
        supers.add(ONE, &class(1, &[b"()V"]));
        supers.add(OTHER, &class(2, &[b"()V"]));
        [ONE, OTHER].into_iter().for_each(|loader| supers.prepared(loader, b"a/B"));
        supers.forget(&[ClassId(1)]);
        assert_eq!((supers.is_quiet(ONE, b"a/B", b"()V"), supers.is_quiet(OTHER, b"a/B", b"()V")), (false, true));
        supers.forget(&[ClassId(2), ClassId(3)]);
        let filed = supers.0.read();
        assert_eq!((filed.classes.len(), filed.of.len()), (0, 0));
    }
}
