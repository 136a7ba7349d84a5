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

    /// All that it was made of, whatever range it reads.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Goes on at `at`, behind what was read without it.
    pub(crate) fn go_on_at(&mut self, at: usize) {
        self.at = at;
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], SkipReason> {
        let taken = self.left().get(..len).ok_or_else(|| self.ended())?;
        self.at += len;
        Ok(taken)
    }

    /// What has not been read.
    fn left(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    #[cold]
    fn ended(&self) -> SkipReason {
        SkipReason::malformed("unexpected end", self.at)
    }

    /// Skips `len` bytes and gives their range.
    pub(crate) fn skip(&mut self, len: usize) -> Result<Range<usize>, SkipReason> {
        let start = self.at;
        self.take(len)?;
        Ok(start..self.at)
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], SkipReason> {
        let chunk = self.left().first_chunk().ok_or_else(|| self.ended())?;
        self.at += N;
        Ok(*chunk)
    }

    pub(crate) fn u1(&mut self) -> Result<u8, SkipReason> {
        self.chunk().map(|[byte]| byte)
    }

    pub(crate) fn u2(&mut self) -> Result<u16, SkipReason> {
        self.chunk().map(u16::from_be_bytes)
    }

    pub(crate) fn u4(&mut self) -> Result<u32, SkipReason> {
        self.chunk().map(u32::from_be_bytes)
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
