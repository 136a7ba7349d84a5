//! The fields or methods of a class, found by name and descriptor.
//!
//! Invariant: of several of one name and descriptor the first is found. Few are looked through; an
//! index is made of many, once, when first somebody asks. Source: JVMS 4.5, 4.6.

use crate::format::attribute::Attribute;
use crate::memory::table::{HashTable, hash};
use std::cell::OnceCell;
use std::ops::Deref;
use std::ptr;

/// A field or method.
pub(crate) struct Member<'a> {
    pub(crate) access: u16,
    pub(crate) name: &'a [u8],
    pub(crate) desc: &'a [u8],
    pub(crate) code: Option<Attribute<'a>>,
    pub(crate) annotations: Option<Attribute<'a>>,
}

impl<'a> Member<'a> {
    pub(crate) fn code(&self) -> Option<&Attribute<'a>> {
        self.code.as_ref()
    }

    /// The RuntimeVisibleAnnotations.
    pub(crate) fn annotations(&self) -> Option<&Attribute<'a>> {
        self.annotations.as_ref()
    }
}

/// In the order of the file.
pub(crate) struct Members<'a> {
    list: Vec<Member<'a>>,
    index: OnceCell<HashTable>,
}

/// So many are looked through as fast as an index is asked.
const FEW: usize = 16;

impl<'a> Members<'a> {
    pub(crate) fn new(list: Vec<Member<'a>>) -> Self {
        Self { list, index: OnceCell::new() }
    }

    pub(crate) fn into_list(self) -> Vec<Member<'a>> {
        self.list
    }

    /// The place of the one with this name and descriptor.
    pub(crate) fn find(&self, name: &[u8], desc: &[u8]) -> Option<usize> {
        let same = |member: &Member<'_>| (member.name, member.desc) == (name, desc);
        if self.list.len() <= FEW {
            // Compilers write each text once, so that most are found by where they stand.
            let stands = |member: &Member<'_>| ptr::eq(member.name, name) && ptr::eq(member.desc, desc);
            return self.list.iter().position(stands).or_else(|| self.list.iter().position(same));
        }
        let index = self.index.get_or_init(|| {
            let mut index = HashTable::default();
            for (number, member) in self.list.iter().enumerate() {
                index.insert(key(member.name, member.desc), number as u16);
            }
            index
        });
        index.find(key(name, desc), |number| same(&self.list[usize::from(*number)])).map(usize::from)
    }
}

fn key(name: &[u8], desc: &[u8]) -> u32 {
    hash(name).rotate_left(1) ^ hash(desc)
}

impl<'a> Deref for Members<'a> {
    type Target = [Member<'a>];

    fn deref(&self) -> &Self::Target {
        &self.list
    }
}
