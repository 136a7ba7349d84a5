//! The constant pool: an index of the entries that are there, and the entries appended to it.
//!
//! Invariant: entries are only appended, so every index of the original class keeps its meaning.
//! Source: JVMS 4.4.

use crate::SkipReason;
use crate::reader::Reader;
use crate::table::{Table, hash};

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

/// Entries appended to a pool, each one once.
pub(crate) struct Additions<'a> {
    pool: &'a PoolView<'a>,
    bytes: Vec<u8>,
    next: usize,
    /// The appended entries but for integers, and where they are found again.
    added: Vec<Added>,
    table: Table,
    /// The appended integers. Ids ascend, so most of them are seen to be new at once.
    integers: Vec<(u32, u16)>,
    ascending: bool,
    /// Class entries of the original pool, by name; filled at the first look-up.
    classes: Option<Table>,
}

/// An appended entry: its place in the appended bytes, and its index.
#[derive(Clone, Copy)]
struct Added {
    start: u32,
    end: u32,
    index: u16,
}

/// A point to return to.
pub(crate) type Mark = (usize, usize);

/// The largest pool has indices 1 to 65534.
const LIMIT: usize = 65535;
/// Left for what has no other way when numbers could go on filling the pool.
const RESERVE: usize = 512;

impl<'a> Additions<'a> {
    pub(crate) fn new(pool: &'a PoolView<'a>) -> Self {
        Self {
            pool,
            bytes: Vec::new(),
            next: pool.count(),
            added: Vec::new(),
            table: Table::default(),
            integers: Vec::new(),
            ascending: true,
            classes: None,
        }
    }

    /// The appended entries in class-file encoding.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The new `constant_pool_count`.
    pub(crate) fn count(&self) -> u16 {
        self.next as u16
    }

    /// A point to return to when a method is given up.
    pub(crate) fn mark(&self) -> Mark {
        (self.next, self.bytes.len())
    }

    pub(crate) fn rewind(&mut self, (next, len): Mark) {
        if next != self.next {
            self.next = next;
            self.bytes.truncate(len);
            self.integers.retain(|added| usize::from(added.1) < next);
            self.added.retain(|added| usize::from(added.index) < next);
            self.table.clear();
            for (number, added) in self.added.iter().enumerate() {
                self.table.insert(hash(&self.bytes[added.start as usize..added.end as usize]), number as u16);
            }
        }
    }

    fn append(&mut self, entry: &[u8]) -> Result<u16, SkipReason> {
        if self.next >= LIMIT {
            return Err(SkipReason::ConstantPoolFull);
        }
        let index = self.next as u16;
        self.next += 1;
        self.bytes.extend_from_slice(entry);
        Ok(index)
    }

    fn add(&mut self, head: &[u8], text: &[u8]) -> Result<u16, SkipReason> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(head);
        self.bytes.extend_from_slice(text);
        let entry = &self.bytes[start..];
        let hash = hash(entry);
        let same = |number: &u16| {
            let Added { start, end, .. } = self.added[usize::from(*number)];
            &self.bytes[start as usize..end as usize] == entry
        };
        let known = self.table.find(hash, same).map(|number| self.added[usize::from(number)].index);
        if known.is_some() || self.next >= LIMIT {
            self.bytes.truncate(start);
            return known.ok_or(SkipReason::ConstantPoolFull);
        }
        let index = self.next as u16;
        self.next += 1;
        self.table.insert(hash, self.added.len() as u16);
        self.added.push(Added { start: start as u32, end: self.bytes.len() as u32, index });
        Ok(index)
    }

    pub(crate) fn utf8(&mut self, text: &[u8]) -> Result<u16, SkipReason> {
        let len = u16::try_from(text.len()).map_err(|_| SkipReason::ConstantPoolFull)?;
        let [high, low] = len.to_be_bytes();
        self.add(&[UTF8, high, low], text)
    }

    /// A class by internal name or array descriptor; one that the class has already is used.
    pub(crate) fn class(&mut self, name: &[u8]) -> Result<u16, SkipReason> {
        let pool = self.pool;
        let classes = self.classes.get_or_insert_with(|| {
            let mut table = Table::default();
            // Of equal names the last counts.
            for index in pool.classes.iter().rev() {
                if let Some(name) = pool.class(*index) {
                    table.insert(hash(name), *index);
                }
            }
            table
        });
        if let Some(index) = classes.find(hash(name), |index| pool.class(*index) == Some(name)) {
            return Ok(index);
        }
        let name = self.utf8(name)?;
        self.pair(CLASS, &[name])
    }

    /// A reference to a member; `tag` is [`FIELD`] or [`METHOD`].
    pub(crate) fn member(&mut self, tag: u8, member: MemberRef<'_>) -> Result<u16, SkipReason> {
        let (name, desc) = (self.utf8(member.name)?, self.utf8(member.desc)?);
        let name_and_type = self.pair(NAME_AND_TYPE, &[name, desc])?;
        let owner = self.class(member.owner)?;
        self.pair(tag, &[owner, name_and_type])
    }

    /// An int constant, if there is room to spare.
    pub(crate) fn integer(&mut self, value: u32) -> Option<u16> {
        let behind = self.integers.last().is_none_or(|last| last.0 < value);
        if !(self.ascending && behind)
            && let Some(added) = self.integers.iter().find(|added| added.0 == value)
        {
            return Some(added.1);
        }
        if self.next + RESERVE >= LIMIT {
            return None;
        }
        let [a, b, c, d] = value.to_be_bytes();
        let index = self.append(&[INTEGER, a, b, c, d]).ok()?;
        self.ascending &= behind;
        self.integers.push((value, index));
        Some(index)
    }

    fn pair(&mut self, tag: u8, parts: &[u16]) -> Result<u16, SkipReason> {
        let mut entry = [tag, 0, 0, 0, 0];
        for (at, part) in parts.iter().enumerate() {
            entry[2 * at + 1..2 * at + 3].copy_from_slice(&part.to_be_bytes());
        }
        self.add(&entry[..1 + 2 * parts.len()], b"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &[u8] = &[1, 0, 1, b'A', 7, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 9, 3, 0, 0, 1, 0];

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

    #[test]
    fn what_was_added_once_is_found_again_and_a_rewind_forgets_it() {
        let pool = PoolView::new(6, ENTRIES);
        let mut additions = Additions::new(&pool);
        assert_eq!(additions.class(b"A"), Ok(2));
        let mark = additions.mark();
        assert_eq!((additions.class(b"B"), additions.class(b"B"), additions.count()), (Ok(7), Ok(7), 8));
        additions.rewind(mark);
        assert_eq!((additions.utf8(b"C"), additions.bytes()), (Ok(6), &[1, 0, 1, b'C'][..]));
    }
}
