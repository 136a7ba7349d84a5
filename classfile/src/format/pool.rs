//! The constant pool: an index of the entries that are there, and the entries appended to it.
//!
//! Invariant: entries are only appended, so every index of the original class keeps its meaning.
//! Source: JVMS 4.4.

mod additions;
mod spelled;

pub(crate) use additions::{Additions, AdditionsBuffers, Mark};
pub(crate) use spelled::Spelling;

use crate::SkipReason;
use crate::format::reader::Reader;
use crate::memory::reusable_vec::ReusableVec;

pub(crate) const UTF8: u8 = 1;
pub(crate) const INTEGER: u8 = 3;
pub(crate) const LONG: u8 = 5;
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
    /// Offset of each entry's tag; `NONE`, which is behind every file, for index 0, the second half
    /// of a long or double, and what was not there.
    offsets: ReusableVec,
    /// The class entries, ascending.
    classes: ReusableVec,
    /// Where each of [`COMMON`] is, or 0.
    common: [u16; COMMON.len()],
    /// The texts as long as one of these.
    texts: ReusableVec,
    /// Is any [computed](Self::is_computed)?
    computes: bool,
}

/// The memory of such an index.
#[derive(Default)]
pub(crate) struct PoolBuffers {
    offsets: ReusableVec,
    classes: ReusableVec,
    texts: ReusableVec,
}

/// What the hooks need and many a class has.
const COMMON: [&[u8]; 3] = [b"I", b"J", b"StackMapTable"];

const NONE: u32 = u32::MAX;

/// A member reference or dynamic call site: owner (empty for a dynamic one), name and descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberRef<'a> {
    pub(crate) owner: &'a [u8],
    pub(crate) name: &'a [u8],
    pub(crate) desc: &'a [u8],
}

impl<'a> PoolView<'a> {
    /// Indexes bare entries: `count` as in the class file (one more than the last index), `pool`
    /// from index 1. What cannot be read is treated as absent.
    #[cfg(test)]
    pub(crate) fn new(count: u16, pool: &'a [u8]) -> Self {
        let mut view = Self::empty(pool, PoolBuffers::default());
        // A pool that ends early leaves the rest of the indices empty, which every look-up reports.
        let _ = view.index(count, &mut Reader::new(pool, 0));
        view
    }

    /// Reads the pool of a class file, its count included, and leaves the cursor behind it.
    pub(crate) fn read(bytes: &'a [u8], reader: &mut Reader<'a>, buffers: PoolBuffers) -> Result<Self, SkipReason> {
        let count = reader.u2()?;
        let mut view = Self::empty(bytes, buffers);
        view.index(count, reader)?;
        Ok(view)
    }

    fn empty(bytes: &'a [u8], PoolBuffers { offsets, classes, texts }: PoolBuffers) -> Self {
        Self { bytes, offsets, classes, common: [0; COMMON.len()], texts, computes: false }
    }

    /// Its memory, to be filled again.
    pub(crate) fn into_buffers(self) -> PoolBuffers {
        PoolBuffers { offsets: self.offsets, classes: self.classes, texts: self.texts }
    }

    fn index(&mut self, count: u16, reader: &mut Reader<'a>) -> Result<(), SkipReason> {
        let (count, bytes) = (usize::from(count), self.bytes);
        let offsets = self.offsets.open(count.max(1) + 2);
        let (classes, texts) = (self.classes.open(count + 1), self.texts.open(count + 1));
        offsets[0] = NONE;
        let (mut index, mut at, mut class, mut common) = (1, reader.at(), 0, 0);
        let error = loop {
            if index >= count {
                break (index > count.max(1)).then(|| SkipReason::malformed("constant-pool count", at));
            }
            // No entry is smaller.
            let Some(&[tag, high, low]) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
                break Some(SkipReason::malformed("unexpected end", at + usize::from(at < bytes.len())));
            };
            // What an entry is cannot be predicted: all are taken for text, most for one without
            // any, and each for a class, but written over.
            let size = usize::from(SIZES[usize::from(tag)]);
            let text = usize::from(u16::from_be_bytes([high, low]) & u16::from(tag == UTF8).wrapping_neg());
            if size == 0 {
                break Some(SkipReason::malformed("constant-pool tag", at));
            }
            let end = at + 1 + size + text;
            if bytes.len() < end {
                break Some(SkipReason::malformed("unexpected end", at + 1 + if tag == UTF8 { 2 } else { 0 }));
            }
            classes[class] = index as u32;
            class += usize::from(tag == CLASS);
            texts[common] = index as u32;
            common += usize::from(is_common(text));
            self.computes |= matches!(tag, METHOD_HANDLE..=DYNAMIC);
            offsets[index] = at as u32;
            offsets[index + 1] = NONE;
            at = end;
            index += 1 + usize::from(matches!(tag, 5 | 6));
        };
        reader.go_on_at(at);
        self.offsets.close(index);
        self.classes.close(class);
        self.texts.close(common);
        self.find_common();
        error.map_or(Ok(()), Err)
    }

    /// The class entries, ascending.
    pub(crate) fn classes(&self) -> impl DoubleEndedIterator<Item = u16> {
        self.classes.iter().map(|index| *index as u16)
    }

    fn find_common(&mut self) {
        for index in self.texts.iter().map(|index| *index as u16) {
            if let Some(found) = COMMON.iter().position(|text| self.utf8(index) == Some(text)) {
                self.common[found] = index;
            }
        }
    }

    /// Where it has this text, if that is one of [`COMMON`].
    pub(crate) fn common(&self, text: &[u8]) -> Option<u16> {
        let known = COMMON.iter().zip(self.common).find(|known| *known.0 == text)?.1;
        (known != 0).then_some(known)
    }

    /// One more than the last index.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len()
    }

    /// Is there any entry that `ldc` computes?
    pub(crate) fn computes(&self) -> bool {
        self.computes
    }

    /// Is it one that `ldc` computes, as it may run code: a method handle or type, or a dynamic
    /// constant? `None` if there is no entry.
    pub(crate) fn is_computed(&self, index: u16) -> Option<bool> {
        if self.computes {
            return Some(matches!(self.tag(index)?, METHOD_HANDLE..=DYNAMIC));
        }
        (*self.offsets.get(usize::from(index))? != NONE).then_some(false)
    }

    /// The entry from its tag on, if it has `N` bytes.
    fn entry<const N: usize>(&self, index: u16) -> Option<&'a [u8; N]> {
        let at = *self.offsets.get(usize::from(index))?;
        self.bytes.get(at as usize..)?.first_chunk()
    }

    pub(crate) fn tag(&self, index: u16) -> Option<u8> {
        self.entry(index).map(|[tag]| *tag)
    }

    pub(crate) fn utf8(&self, index: u16) -> Option<&'a [u8]> {
        let at = *self.offsets.get(usize::from(index))?;
        let (&[UTF8, high, low], rest) = self.bytes.get(at as usize..)?.split_first_chunk()? else { return None };
        rest.get(..usize::from(u16::from_be_bytes([high, low])))
    }

    #[cfg(test)]
    fn integer(&self, index: u16) -> Option<u32> {
        let &[INTEGER, a, b, c, d] = self.entry(index)? else { return None };
        Some(u32::from_be_bytes([a, b, c, d]))
    }

    pub(crate) fn class(&self, index: u16) -> Option<&'a [u8]> {
        let &[CLASS, high, low] = self.entry(index)? else { return None };
        self.utf8(u16::from_be_bytes([high, low]))
    }

    fn name_and_type(&self, index: u16) -> Option<(&'a [u8], &'a [u8])> {
        let &[NAME_AND_TYPE, a, b, c, d] = self.entry(index)? else { return None };
        Some((self.utf8(u16::from_be_bytes([a, b]))?, self.utf8(u16::from_be_bytes([c, d]))?))
    }

    /// A field, method, interface method, or dynamic reference.
    pub(crate) fn member(&self, index: u16) -> Option<MemberRef<'a>> {
        let &[tag, a, b, c, d] = self.entry(index)?;
        let owner = match tag {
            FIELD | METHOD | INTERFACE_METHOD => self.class(u16::from_be_bytes([a, b]))?,
            DYNAMIC | INVOKE_DYNAMIC => &[],
            _ => return None,
        };
        let (name, desc) = self.name_and_type(u16::from_be_bytes([c, d]))?;
        Some(MemberRef { owner, name, desc })
    }
}

/// Has one of [`COMMON`] this length?
fn is_common(len: usize) -> bool {
    COMMON.iter().any(|text| text.len() == len)
}

/// How many bytes follow the tag of an entry; of UTF-8 how many its length takes. 0 for what is no
/// tag.
const SIZES: [u8; 256] = {
    let mut sizes = [0; 256];
    let mut tag = 0;
    while tag < sizes.len() {
        sizes[tag] = match tag as u8 {
            UTF8 | CLASS | 8 | METHOD_TYPE | 19 | 20 => 2,
            METHOD_HANDLE => 3,
            INTEGER | 4 | FIELD..=NAME_AND_TYPE | DYNAMIC | INVOKE_DYNAMIC => 4,
            5 | 6 => 8,
            _ => 0,
        };
        tag += 1;
    }
    sizes
};

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
