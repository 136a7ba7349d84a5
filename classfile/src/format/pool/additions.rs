//! Entries appended to the constant pool, each one once.
//!
//! Invariant: the pool never has more than 65534 indices, and a method that is given up leaves no
//! entry behind.
//! Source: JVMS 4.1 (`constant_pool_count`), 4.4.

use super::{CLASS, INTEGER, LONG, PoolView, UTF8};
use crate::SkipReason;
use crate::memory::table::{HashTable, hash};

/// Entries appended to a pool, each one once.
pub(crate) struct Additions<'a> {
    pool: &'a PoolView<'a>,
    next: usize,
    buffers: AdditionsBuffers,
    ascending: bool,
    /// Are the class entries of the original pool in their table? They go there at the first
    /// look-up.
    classes: bool,
}

/// What is held of the entries; memory that goes from class to class.
#[derive(Default)]
pub(crate) struct AdditionsBuffers {
    bytes: Vec<u8>,
    /// The appended entries but for integers, and where they are found again.
    added: Vec<Added>,
    table: HashTable,
    /// The appended integers. Ids ascend, so most of them are seen to be new at once.
    integers: Vec<(u32, u16)>,
    /// Class entries of the original pool, by name.
    classes: HashTable,
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
        Self::with(pool, AdditionsBuffers::default())
    }

    /// With memory that another class has left.
    pub(crate) fn with(pool: &'a PoolView<'a>, mut buffers: AdditionsBuffers) -> Self {
        buffers.bytes.clear();
        buffers.added.clear();
        buffers.table.clear();
        buffers.integers.clear();
        Self { pool, next: pool.count(), buffers, ascending: true, classes: false }
    }

    /// Leaves the memory to another class.
    pub(crate) fn into_buffers(self) -> AdditionsBuffers {
        self.buffers
    }

    /// The appended entries in class-file encoding.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffers.bytes
    }

    /// The new `constant_pool_count`.
    pub(crate) fn count(&self) -> u16 {
        self.next as u16
    }

    /// A point to return to when a method is given up.
    pub(crate) fn mark(&self) -> Mark {
        (self.next, self.buffers.bytes.len())
    }

    pub(crate) fn rewind(&mut self, (next, len): Mark) {
        if next != self.next {
            self.next = next;
            self.buffers.bytes.truncate(len);
            self.buffers.integers.retain(|added| usize::from(added.1) < next);
            self.buffers.added.retain(|added| usize::from(added.index) < next);
            self.buffers.table.clear();
            for (number, added) in self.buffers.added.iter().enumerate() {
                self.buffers
                    .table
                    .insert(hash(&self.buffers.bytes[added.start as usize..added.end as usize]), number as u16);
            }
        }
    }

    fn append(&mut self, entry: &[u8]) -> Result<u16, SkipReason> {
        if self.next >= LIMIT {
            return Err(SkipReason::ConstantPoolFull);
        }
        let index = self.next as u16;
        self.next += 1;
        self.buffers.bytes.extend_from_slice(entry);
        Ok(index)
    }

    fn add(&mut self, head: &[u8], text: &[u8]) -> Result<u16, SkipReason> {
        let start = self.buffers.bytes.len();
        self.buffers.bytes.extend_from_slice(head);
        self.buffers.bytes.extend_from_slice(text);
        let entry = &self.buffers.bytes[start..];
        let hash = hash(entry);
        let same = |number: &u16| {
            let Added { start, end, .. } = self.buffers.added[usize::from(*number)];
            &self.buffers.bytes[start as usize..end as usize] == entry
        };
        let known = self.buffers.table.find(hash, same).map(|number| self.buffers.added[usize::from(number)].index);
        if known.is_some() || self.next >= LIMIT {
            self.buffers.bytes.truncate(start);
            return known.ok_or(SkipReason::ConstantPoolFull);
        }
        let index = self.next as u16;
        self.next += 1;
        self.buffers.table.insert(hash, self.buffers.added.len() as u16);
        self.buffers.added.push(Added { start: start as u32, end: self.buffers.bytes.len() as u32, index });
        Ok(index)
    }

    /// Text; some that many classes have is used if the class has it.
    pub(crate) fn utf8(&mut self, text: &[u8]) -> Result<u16, SkipReason> {
        if let Some(known) = self.pool.common(text) {
            return Ok(known);
        }
        let len = u16::try_from(text.len()).map_err(|_| SkipReason::ConstantPoolFull)?;
        let [high, low] = len.to_be_bytes();
        self.add(&[UTF8, high, low], text)
    }

    /// A class by internal name or array descriptor; one that the class has already is used.
    pub(crate) fn class(&mut self, name: &[u8]) -> Result<u16, SkipReason> {
        let pool = self.pool;
        if !std::mem::replace(&mut self.classes, true) {
            self.buffers.classes.clear();
            // Of equal names the last counts.
            for index in pool.classes().rev() {
                if let Some(name) = pool.class(index) {
                    self.buffers.classes.insert(hash(name), index);
                }
            }
        }
        if let Some(index) = self.buffers.classes.find(hash(name), |index| pool.class(*index) == Some(name)) {
            return Ok(index);
        }
        let [high, low] = self.utf8(name)?.to_be_bytes();
        self.add(&[CLASS, high, low], b"")
    }

    /// A class by internal name, for what asks for each once: one that the class has already is
    /// used, but none that was appended.
    pub(crate) fn class_of_hooks(&mut self, name: &[u8]) -> Result<u16, SkipReason> {
        let pool = self.pool;
        if let Some(index) = pool.classes().find(|index| pool.class(*index) == Some(name)) {
            return Ok(index);
        }
        let [high, low] = self.new_utf8(name)?.to_be_bytes();
        self.append(&[CLASS, high, low])
    }

    /// [`Self::utf8`], where nobody has asked for the text yet.
    pub(crate) fn new_utf8(&mut self, text: &[u8]) -> Result<u16, SkipReason> {
        if let Some(known) = self.pool.common(text) {
            return Ok(known);
        }
        let [high, low] = u16::try_from(text.len()).map_err(|_| SkipReason::ConstantPoolFull)?.to_be_bytes();
        let index = self.append(&[UTF8, high, low])?;
        self.buffers.bytes.extend_from_slice(text);
        Ok(index)
    }

    /// An entry of two indices that nobody has asked for.
    pub(crate) fn pair(&mut self, tag: u8, first: u16, second: u16) -> Result<u16, SkipReason> {
        let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
        self.append(&[tag, a, b, c, d])
    }

    /// A long constant, which takes two indices.
    pub(crate) fn long(&mut self, value: u64) -> Result<u16, SkipReason> {
        if self.next + 1 >= LIMIT {
            return Err(SkipReason::ConstantPoolFull);
        }
        let before = self.next;
        let index = self.add(&[LONG], &value.to_be_bytes())?;
        self.next += usize::from(self.next != before);
        Ok(index)
    }

    /// An int constant, if there is room to spare.
    pub(crate) fn integer(&mut self, value: u32) -> Option<u16> {
        let behind = self.buffers.integers.last().is_none_or(|last| last.0 < value);
        if !(self.ascending && behind)
            && let Some(added) = self.buffers.integers.iter().find(|added| added.0 == value)
        {
            return Some(added.1);
        }
        if self.next + RESERVE >= LIMIT {
            return None;
        }
        let [a, b, c, d] = value.to_be_bytes();
        let index = self.append(&[INTEGER, a, b, c, d]).ok()?;
        self.ascending &= behind;
        self.buffers.integers.push((value, index));
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::pool::tests::ENTRIES;

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

    #[test]
    fn what_many_classes_have_is_not_appended_to_one_that_has_it() {
        let entries = [&[UTF8, 0, 13][..], b"StackMapTable", &[UTF8, 0, 1, b'J', UTF8, 0, 2, b'J', b'J']].concat();
        let pool = PoolView::new(4, &entries);
        let mut additions = Additions::new(&pool);
        assert_eq!((additions.utf8(b"StackMapTable"), additions.new_utf8(b"J")), (Ok(1), Ok(2)));
        assert_eq!((additions.utf8(b"I"), additions.new_utf8(b"JJ"), additions.count()), (Ok(4), Ok(5), 6));
    }
}
