//! Checked big-endian reads with offsets into the class file.
//!
//! Invariant: no read past the end; every error says where.
//! Source: JVMS 4.1 (multibyte items are big-endian).

use crate::SkipReason;
use std::ops::Range;

/// A cursor over `bytes[at..end]`.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    /// A cursor over the whole of `bytes`, standing at `at`.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, end: bytes.len() }
    }

    /// A cursor over one range of `bytes`; offsets stay those of `bytes`.
    pub(crate) fn within(bytes: &'a [u8], range: Range<usize>) -> Self {
        Self { bytes, at: range.start, end: range.end.min(bytes.len()) }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], SkipReason> {
        let stop = self.at.checked_add(len).filter(|stop| *stop <= self.end);
        let taken = stop.and_then(|stop| self.bytes.get(self.at..stop));
        let taken = taken.ok_or(SkipReason::malformed("unexpected end", self.at))?;
        self.at += len;
        Ok(taken)
    }

    /// Skips `len` bytes and gives their range.
    pub(crate) fn skip(&mut self, len: usize) -> Result<Range<usize>, SkipReason> {
        let start = self.at;
        self.take(len)?;
        Ok(start..self.at)
    }

    pub(crate) fn u1(&mut self) -> Result<u8, SkipReason> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u2(&mut self) -> Result<u16, SkipReason> {
        let taken = self.take(2)?;
        Ok(u16::from_be_bytes([taken[0], taken[1]]))
    }

    pub(crate) fn u4(&mut self) -> Result<u32, SkipReason> {
        let taken = self.take(4)?;
        Ok(u32::from_be_bytes([taken[0], taken[1], taken[2], taken[3]]))
    }

    /// An error at the place just read.
    pub(crate) fn error(&self, what: &'static str) -> SkipReason {
        SkipReason::malformed(what, self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_past_the_end_names_its_offset() {
        let bytes = [1, 2, 3];
        let mut reader = Reader::new(&bytes, 0);
        assert_eq!(reader.u2(), Ok(0x0102));
        assert_eq!(reader.u2(), Err(SkipReason::malformed("unexpected end", 2)));
        assert_eq!(Reader::within(&bytes, 1..2).u2(), Err(SkipReason::malformed("unexpected end", 1)));
    }
}
