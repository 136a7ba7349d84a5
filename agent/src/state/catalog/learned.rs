//! Methods of classes that stay as they came: each is learned when a stack first shows it
//! (`hooks=off`).
//!
//! Invariant: methods that no trace can tell apart are one: class, source, name, descriptor, flags
//! and lines are equal. So a class that is loaded again brings no new ids, and a redefinition
//! brings ids only for methods whose lines have changed.
//! Source: docs/design/attach.md ("Methods").

use std::sync::Arc;

use lucce_classfile::{BciMap, LineTable};
use lucce_words::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use super::entries::{ClassEntry, MethodEntry};
use super::names::{Member, append};
use super::{Catalog, put};
use crate::support::lock::Lock;

/// A method as the JVM describes it.
pub struct Described<'d> {
    /// Internal name of its class.
    pub class: &'d str,
    /// SourceFile of that.
    pub source: Option<&'d str>,
    /// Simple name.
    pub name: &'d str,
    /// Descriptor.
    pub desc: &'d str,
    /// Access flags.
    pub access: u16,
    /// Lines by bytecode index.
    pub lines: LineTable,
}

/// What was learned, by name.
#[derive(Default)]
pub(super) struct LearnedNames {
    /// Name, and source.
    classes: FxHashMap<(Box<str>, Option<Box<str>>), ClassId>,
    /// Name and descriptor in one: those of equal names differ in lines or flags.
    methods: FxHashMap<(ClassId, Box<str>), Vec<MethodId>>,
}

impl Catalog {
    /// The method that is so described. `None` only when ids are exhausted.
    pub fn learn(&self, described: Described<'_>) -> Option<MethodId> {
        let Described { class, source, name, desc, access, lines } = described;
        let mut learned = self.learned.lock();
        let LearnedNames { classes, methods } = &mut *learned;
        let key: (Box<str>, Option<Box<str>>) = (class.into(), source.map(Into::into));
        let class_id = match classes.get(&key) {
            Some(&known) => known,
            None => self.learn_class(class, source).inspect(|&id| _ = classes.insert(key, id))?,
        };
        let alike = methods.entry((class_id, [name, desc].concat().into())).or_default();
        let is_same = |entry: Arc<MethodEntry>| entry.access == access && entry.lines == lines;
        if let Some(&known) = alike.iter().find(|&&id| self.method(id).is_some_and(is_same)) {
            return Some(known);
        }
        let id = self.next_method()?;
        let mut text = String::new();
        let parts = [class, name, desc].map(|name| append(&mut text, name));
        let entry = MethodEntry {
            class: class_id,
            member: Member::new(&text.into(), parts),
            access,
            huge: false,
            interposable_exit: false,
            opcode_hash: 0,
            word_local: 0,
            weight: 0,
            map: BciMap::default(),
            lines,
            sites: Vec::new(),
            met: Lock::default(),
        };
        put(&mut self.tables.write().methods, id.index(), Arc::new(entry));
        alike.push(id);
        Some(id)
    }

    fn learn_class(&self, name: &str, source: Option<&str>) -> Option<ClassId> {
        let id = self.next_class()?;
        let mut text = String::new();
        let name = append(&mut text, name);
        let source = source.map(|source| append(&mut text, source));
        put(&mut self.tables.write().classes, id.index(), ClassEntry { text: text.into(), name, source });
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_read_the_same_are_one() {
        let catalog = Catalog::default();
        let learn = |class, desc, access, line| {
            let lines = LineTable::new(vec![(0, line)]);
            catalog.learn(Described { class, source: Some("A.java"), name: "run", desc, access, lines })
        };
        let first = learn("a/A", "()V", 1, 7).expect("there are ids");
        assert_eq!(learn("a/A", "()V", 1, 7), Some(first));
        let others = [
            learn("a/B", "()V", 1, 7),
            learn("a/A", "()I", 1, 7),
            learn("a/A", "()V", 9, 7),
            learn("a/A", "()V", 1, 8),
        ];
        for (at, other) in others.iter().enumerate() {
            assert!(other.is_some_and(|other| other != first) && !others[..at].contains(other), "{at}");
        }
        let entry = catalog.method(first).expect("filed");
        assert_eq!((entry.member.owner(), entry.member.name(), entry.member.desc()), ("a/A", "run", "()V"));
        assert_eq!(catalog.class(entry.class).expect("filed").source(), Some("A.java"));
        assert_eq!((entry.original(3).map(|bci| bci.0), entry.original(-1)), (Some(3), None));
    }

    #[test]
    fn a_native_method_stands_at_one_place() {
        let catalog = Catalog::default();
        let lines = LineTable::default();
        let native = Described { class: "A", source: None, name: "copy", desc: "()V", access: 0x101, lines };
        let entry = catalog.learn(native).and_then(|id| catalog.method(id)).expect("filed");
        assert_eq!((entry.original(-1).map(|bci| bci.0), entry.original(-2)), (Some(0), None));
    }
}
