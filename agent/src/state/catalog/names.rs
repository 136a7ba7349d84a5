//! What a class, its methods with hooks and their sites are named: one text for each class, which
//! names are parts of.
//!
//! Invariant: a text has each name once, as the class file does, and lives as long as an entry that
//! is named in it.

use std::slice;
use std::sync::Arc;

use lucce_classfile::Instrumented;
use rustc_hash::FxHashMap;

use super::ids::hooked;
use crate::support::text;

/// Bytes `start..end` of a class's text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextRange {
    start: u32,
    end: u32,
}

impl TextRange {
    pub(super) fn of(self, text: &str) -> &str {
        // What no number of 32 bits can tell (gigabytes of names) has none.
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A member as it is named: its class (or array), its name and its descriptor.
#[derive(Clone, Debug)]
pub struct Member {
    text: Arc<str>,
    parts: [TextRange; 3],
}

impl Member {
    pub(super) fn new(text: &Arc<str>, parts: [TextRange; 3]) -> Self {
        Self { text: Arc::clone(text), parts }
    }

    /// One without names.
    pub(super) fn none() -> Self {
        Self { text: "".into(), parts: [TextRange::default(); 3] }
    }

    /// The same, with a text of its own.
    pub(super) fn alone(&self) -> Self {
        let mut text = String::new();
        let parts = self.parts.map(|part| append(&mut text, part.of(&self.text)));
        Self { text: text.into(), parts }
    }

    /// Internal name of the class, or descriptor of the array.
    pub fn owner(&self) -> &str {
        self.parts[0].of(&self.text)
    }

    /// Simple name.
    pub fn name(&self) -> &str {
        self.parts[1].of(&self.text)
    }

    /// Descriptor.
    pub fn desc(&self) -> &str {
        self.parts[2].of(&self.text)
    }
}

/// The text of a class in the making; the memory goes from class to class.
#[derive(Default)]
pub struct Texts {
    text: String,
    /// By address and length of the JVM's text, which stay what they are while the class is read.
    known: FxHashMap<(usize, usize), TextRange>,
    members: Vec<[TextRange; 3]>,
}

/// The names of one class.
pub(super) struct ClassNames<'t> {
    pub(super) text: Arc<str>,
    pub(super) name: TextRange,
    pub(super) source: Option<TextRange>,
    /// Each method with hooks, and behind it its sites.
    members: slice::Iter<'t, [TextRange; 3]>,
}

impl ClassNames<'_> {
    /// The next member.
    pub(super) fn member(&mut self) -> Member {
        self.members.next().map_or_else(Member::none, |parts| Member::new(&self.text, *parts))
    }
}

/// More names than most classes have: the table of a larger one is not kept.
const USUAL: usize = 4096;

impl Texts {
    /// The names of a class that was rewritten.
    pub(super) fn names(&mut self, class: &Instrumented<'_>) -> ClassNames<'_> {
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        let name = self.part(class.name);
        let source = class.source_file.map(|source| self.part(source));
        for method in class.methods.iter().filter(|method| hooked(&method.outcome).is_some()) {
            members.push(self.member(class.name, method.name, method.desc));
            members.extend(class.sites_of(method).iter().map(|site| self.member(&site.owner, site.name, site.desc)));
        }
        let text = self.take();
        self.members = members;
        ClassNames { text, name, source, members: self.members.iter() }
    }

    /// The part that says this.
    pub(super) fn part(&mut self, bytes: &[u8]) -> TextRange {
        let text = &mut self.text;
        *self.known.entry((bytes.as_ptr().addr(), bytes.len())).or_insert_with(|| append(text, &text::ours(bytes)))
    }

    /// The parts of a member.
    pub(super) fn member(&mut self, owner: &[u8], name: &[u8], desc: &[u8]) -> [TextRange; 3] {
        [owner, name, desc].map(|bytes| self.part(bytes))
    }

    /// The text. What is asked for from now on is of another class.
    pub(super) fn take(&mut self) -> Arc<str> {
        let text = self.text.as_str().into();
        self.text.clear();
        if self.known.capacity() > USUAL {
            *self = Self::default();
        } else {
            self.known.clear();
        }
        text
    }
}

/// Puts a name behind a text.
pub(super) fn append(text: &mut String, more: &str) -> TextRange {
    let at = |text: &String| u32::try_from(text.len()).unwrap_or(u32::MAX);
    let start = at(text);
    text.push_str(more);
    TextRange { start, end: at(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_each_name_once() {
        let mut texts = Texts::default();
        let (owner, name, desc) = ("A", "run", "()V");
        let [own, other] = ["A", "B"].map(|class| texts.member(class.as_bytes(), name.as_bytes(), desc.as_bytes()));
        let again = texts.member(owner.as_bytes(), name.as_bytes(), desc.as_bytes());
        let text = texts.take();
        assert_eq!(text.matches("run()V").count(), 1, "{text}");
        for (parts, class) in [(own, "A"), (other, "B"), (again, "A")] {
            let member = Member::new(&text, parts);
            assert_eq!((member.owner(), member.name(), member.desc()), (class, name, desc));
            let alone = member.alone();
            assert_eq!((alone.owner(), alone.name(), alone.desc()), (class, name, desc));
            assert_eq!(alone.text.len(), 7);
        }
        let next = texts.member(b"C", b"go", b"()I");
        assert_eq!(Member::new(&texts.take(), next).name(), "go");
    }

    #[test]
    fn members_without_names_have_empty_ones() {
        let none = Member::none();
        assert_eq!((none.owner(), none.name(), none.desc()), ("", "", ""));
    }
}
