//! Names in a record: where they stand in the class file, or what they are where the rewriter has
//! made them.
//!
//! Invariant: a name that is read back is one of the class file's, or stands in the record.

use crate::format::reader::Reader;
use crate::skip::SkipReason;

/// In place of an offset: the name itself follows.
const ELSEWHERE: u32 = u32::MAX;
/// Bytes of a place and a length: what is counted is no shorter.
const NAME: usize = 6;

/// Writes names of one class file.
pub(super) struct NameWriter<'o> {
    original: &'o [u8],
    pub(super) out: &'o mut Vec<u8>,
}

impl<'o> NameWriter<'o> {
    pub(super) fn new(original: &'o [u8], out: &'o mut Vec<u8>) -> Self {
        Self { original, out }
    }

    /// `None`: it is longer than names are.
    pub(super) fn add(&mut self, name: &[u8]) -> Option<()> {
        let len = u16::try_from(name.len()).ok()?.to_be_bytes();
        match self.place(name) {
            Some(place) => {
                self.out.extend(place.to_be_bytes());
                self.out.extend(len);
            }
            None => {
                self.out.extend(ELSEWHERE.to_be_bytes());
                self.out.extend(len);
                self.out.extend_from_slice(name);
            }
        }
        Some(())
    }

    fn place(&self, name: &[u8]) -> Option<u32> {
        let place = name.as_ptr().addr().checked_sub(self.original.as_ptr().addr())?;
        self.original.get(place..)?.get(..name.len())?;
        u32::try_from(place).ok().filter(|place| *place != ELSEWHERE)
    }

    pub(super) fn add_if_any(&mut self, name: Option<&[u8]>) -> Option<()> {
        self.out.push(u8::from(name.is_some()));
        name.map_or(Some(()), |name| self.add(name))
    }

    pub(super) fn count(&mut self, number: usize) -> Option<()> {
        count(number, self.out)
    }
}

/// Writes how many things follow; `None`: there are more than can be counted.
pub(crate) fn count(number: usize, out: &mut Vec<u8>) -> Option<()> {
    out.extend(u32::try_from(number).ok()?.to_be_bytes());
    Some(())
}

/// Reads a name.
pub(super) fn name<'a>(original: &'a [u8], reader: &mut Reader<'a>) -> Result<&'a [u8], SkipReason> {
    let (place, len) = (reader.u4()?, usize::from(reader.u2()?));
    if place == ELSEWHERE {
        return reader.take(len);
    }
    Reader::new(original, place as usize).take(len)
}

/// Reads one that may be missing.
pub(super) fn if_any<'a>(original: &'a [u8], reader: &mut Reader<'a>) -> Result<Option<&'a [u8]>, SkipReason> {
    if reader.u1()? == 0 { Ok(None) } else { name(original, reader).map(Some) }
}

/// Reads as many as are counted, with no more memory than the record has bytes.
pub(super) fn list<'a, T>(
    reader: &mut Reader<'a>,
    mut read: impl FnMut(&mut Reader<'a>) -> Result<T, SkipReason>,
) -> Result<Vec<T>, SkipReason> {
    let count = reader.u4()? as usize;
    let mut list = Vec::with_capacity(count.min(reader.bytes().len() / NAME));
    for _ in 0..count {
        list.push(read(reader)?);
    }
    Ok(list)
}
