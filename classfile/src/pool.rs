//! The constant pool: an index of the entries that are there, and the entries appended to it.
//!
//! Invariant: entries are only appended, so every index of the original class keeps its meaning.
//! Source: JVMS 4.4.

mod additions;

pub(crate) use additions::{Additions, Mark};

use crate::SkipReason;
use crate::reader::Reader;

pub(crate) const UTF8: u8 = 1;
pub(crate) const INTEGER: u8 = 3;
pub(crate) const CLASS: u8 = 7;
pub(crate) const FIELD: u8 = 9;
pub(crate) const METHOD: u8 = 10;
pub(crate) const INTERFACE_METHOD: u8 = 11;
pub(crate) const NAME_AND_TYPE: u8 = 12;
pub(crate) const METHOD_HANDLE: u8 = 15;
pub(crate) const METHOD_TYPE: u8 = 16;
pub(crate) const DYNAMIC: u8 = 17;
pub(crate) const INVOKE_DYNAMIC: u8 = 18;

/// An index over constant-pool entries in class-file encoding.
pub(crate) struct PoolView<'a> {
    bytes: &'a [u8],
    /// Offset of each entry's tag; `NONE` for index 0, the second half of a long or double, and what was not there.
    offsets: Vec<u32>,
    /// The class entries, ascending.
    classes: Vec<u16>,
}

const NONE: u32 = u32::MAX;

/// A member reference or dynamic call site: owner (empty for a dynamic one), name and descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberRef<'a> {
    pub(crate) owner: &'a [u8],
    pub(crate) name: &'a [u8],
    pub(crate) desc: &'a [u8],
}

impl<'a> PoolView<'a> {
    /// Indexes bare entries: `count` as in the class file (one more than the last index), `pool` from index 1. What cannot be read is
    /// treated as absent.
    #[cfg(test)]
    pub(crate) fn new(count: u16, pool: &'a [u8]) -> Self {
        let mut view = Self { bytes: pool, offsets: Vec::new(), classes: Vec::new() };
        // A pool that ends early leaves the rest of the indices empty, which every look-up reports.
        let _ = view.index(count, &mut Reader::new(pool, 0));
        view
    }

    /// Reads the pool of a class file, its count included, and leaves the cursor behind it.
    pub(crate) fn read(bytes: &'a [u8], reader: &mut Reader<'a>) -> Result<Self, SkipReason> {
        let count = reader.u2()?;
        let mut view = Self { bytes, offsets: Vec::new(), classes: Vec::new() };
        view.index(count, reader)?;
        Ok(view)
    }

    fn index(&mut self, count: u16, reader: &mut Reader<'a>) -> Result<(), SkipReason> {
        self.offsets.reserve(usize::from(count) + 1);
        self.offsets.push(NONE);
        while self.offsets.len() < usize::from(count) {
            let at = reader.at();
            let tag = reader.u1()?;
            let len = match tag {
                UTF8 => usize::from(reader.u2()?),
                CLASS => {
                    self.classes.push(self.offsets.len() as u16);
                    2
                }
                INTEGER | 4 | FIELD..=NAME_AND_TYPE | DYNAMIC | INVOKE_DYNAMIC => 4,
                5 | 6 => 8,
                8 | METHOD_TYPE | 19 | 20 => 2,
                METHOD_HANDLE => 3,
                _ => return Err(SkipReason::malformed("constant-pool tag", at)),
            };
            reader.skip(len)?;
            self.offsets.push(at as u32);
            if matches!(tag, 5 | 6) {
                self.offsets.push(NONE);
            }
        }
        // The second half of a long or double is an index, too.
        if self.offsets.len() > usize::from(count.max(1)) {
            return Err(reader.error("constant-pool count"));
        }
        Ok(())
    }

    /// One more than the last index.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len()
    }

    fn entry(&self, index: u16) -> Option<(u8, &'a [u8])> {
        let at = *self.offsets.get(usize::from(index)).filter(|at| **at != NONE)? as usize;
        Some((*self.bytes.get(at)?, self.bytes.get(at + 1..)?))
    }

    pub(crate) fn tag(&self, index: u16) -> Option<u8> {
        Some(self.entry(index)?.0)
    }

    fn body(&self, index: u16, tag: u8) -> Option<&'a [u8]> {
        self.entry(index).filter(|entry| entry.0 == tag).map(|entry| entry.1)
    }

    pub(crate) fn utf8(&self, index: u16) -> Option<&'a [u8]> {
        let body = self.body(index, UTF8)?;
        body.get(2..2 + usize::from(u2(body, 0)?))
    }

    #[cfg(test)]
    fn integer(&self, index: u16) -> Option<u32> {
        let body = self.body(index, INTEGER)?;
        Some(u32::from_be_bytes(body.get(..4)?.try_into().ok()?))
    }

    pub(crate) fn class(&self, index: u16) -> Option<&'a [u8]> {
        self.utf8(u2(self.body(index, CLASS)?, 0)?)
    }

    fn name_and_type(&self, index: u16) -> Option<(&'a [u8], &'a [u8])> {
        let body = self.body(index, NAME_AND_TYPE)?;
        Some((self.utf8(u2(body, 0)?)?, self.utf8(u2(body, 2)?)?))
    }

    /// A field, method, interface method, or dynamic reference.
    pub(crate) fn member(&self, index: u16) -> Option<MemberRef<'a>> {
        let (tag, body) = self.entry(index)?;
        let owner = match tag {
            FIELD | METHOD | INTERFACE_METHOD => self.class(u2(body, 0)?)?,
            DYNAMIC | INVOKE_DYNAMIC => &[],
            _ => return None,
        };
        let (name, desc) = self.name_and_type(u2(body, 2)?)?;
        Some(MemberRef { owner, name, desc })
    }
}

fn u2(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const ENTRIES: &[u8] = &[1, 0, 1, b'A', 7, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 9, 3, 0, 0, 1, 0];

    #[test]
    fn a_long_takes_two_indices() {
        let pool = PoolView::new(6, ENTRIES);
        assert_eq!(
            (pool.class(2), pool.tag(3), pool.tag(4), pool.integer(5)),
            (Some(&b"A"[..]), Some(5), None, Some(256))
        );
    }

    #[test]
    fn a_pool_cut_short_answers_nothing_for_the_rest() {
        let pool = PoolView::new(6, &ENTRIES[..8]);
        assert_eq!((pool.class(2), pool.integer(5)), (Some(&b"A"[..]), None));
    }
}
