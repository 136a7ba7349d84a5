//! The primitives of files: LEB128 integers, zigzag, optional values, strings.
//!
//! Invariant: every read is checked; no count that was read is trusted with an allocation.
//! Source: docs/FORMAT.md, "Primitives"; DWARF 5, section 7.6.

/// Longest string in bytes; what is longer is cut at a character boundary.
pub const MAX_STRING: usize = 1 << 20;

/// Appends primitives to a payload.
pub trait Put {
    /// A byte.
    fn byte(&mut self, value: u8);
    /// Bytes as they are.
    fn bytes(&mut self, value: &[u8]);

    /// An integer, seven bits a byte, the low ones first.
    fn var(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    /// The same.
    fn var32(&mut self, value: u32) {
        self.var(value.into());
    }

    /// An integer that may be negative; small ones are short.
    fn zigzag(&mut self, value: i64) {
        self.var((value << 1 ^ value >> 63) as u64);
    }

    /// 0 for none, the value plus one otherwise.
    fn option(&mut self, value: Option<u32>) {
        self.var(value.map_or(0, |value| u64::from(value) + 1));
    }

    /// Eight bytes, the low one first.
    fn fixed(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// A text behind its length; what is beyond [`MAX_STRING`] is cut.
    fn string(&mut self, value: &str) {
        let value = &value[..value.floor_char_boundary(MAX_STRING)];
        self.var(value.len() as u64);
        self.bytes(value.as_bytes());
    }
}

impl Put for Vec<u8> {
    fn byte(&mut self, value: u8) {
        self.push(value);
    }

    fn bytes(&mut self, value: &[u8]) {
        self.extend_from_slice(value);
    }
}

/// Reads primitives; `None` where the bytes do not hold one.
#[derive(Clone, Debug)]
pub struct Get<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Get<'a> {
    /// From the beginning of these.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes that were read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Is nothing left?
    pub fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// A byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// So many bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// An integer.
    #[inline]
    pub fn var(&mut self) -> Option<u64> {
        // Most are short.
        match self.bytes.get(self.at..self.at + 2) {
            Some(&[low, _]) if low < 0x80 => {
                self.at += 1;
                Some(low.into())
            }
            Some(&[low, high]) if high < 0x80 => {
                self.at += 2;
                Some(u64::from(low & 0x7F) | u64::from(high) << 7)
            }
            _ => self.long_var(),
        }
    }

    fn long_var(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            // The tenth byte has room for one bit.
            if shift == 63 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// An integer below 2^32.
    #[inline]
    pub fn var32(&mut self) -> Option<u32> {
        self.var()?.try_into().ok()
    }

    /// An integer below 2^16.
    pub fn var16(&mut self) -> Option<u16> {
        self.var()?.try_into().ok()
    }

    /// An integer that may be negative.
    #[inline]
    pub fn zigzag(&mut self) -> Option<i64> {
        let value = self.var()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// One that may be none.
    #[inline]
    pub fn option(&mut self) -> Option<Option<u32>> {
        match self.var()? {
            0 => Some(None),
            value => Some(Some(u32::try_from(value - 1).ok()?)),
        }
    }

    /// Eight bytes.
    #[inline]
    pub fn fixed(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A text.
    pub fn string(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.var()?).ok().filter(|&length| length <= MAX_STRING)?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    /// A count of items of at least one byte each, so it cannot exceed what is left.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.var()?).ok()?;
        (count <= self.left()).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_at_the_edges_come_back() {
        let mut bytes = Vec::new();
        for value in [0, 1, 127, 128, u64::from(u32::MAX), u64::MAX] {
            bytes.var(value);
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            bytes.zigzag(value);
        }
        let mut get = Get::new(&bytes);
        for value in [0, 1, 127, 128, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(get.var(), Some(value));
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(get.zigzag(), Some(value));
        }
        assert!(get.is_empty());
    }

    #[test]
    fn an_integer_of_more_than_64_bits_is_refused() {
        assert_eq!(Get::new(&[0xFF; 11]).var(), None);
        assert_eq!(Get::new(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]).var(), None);
        assert_eq!(Get::new(&[0x80]).var(), None);
    }

    #[test]
    fn a_string_past_the_limit_is_cut_between_characters() {
        let long = "é".repeat(MAX_STRING);
        let mut bytes = Vec::new();
        bytes.string(&format!("x{long}"));
        let read = Get::new(&bytes).string().expect("a string");
        assert_eq!(read.len(), MAX_STRING - 1);
    }

    #[test]
    fn a_longer_string_is_none() {
        let written = |length: usize| {
            let mut bytes = Vec::new();
            bytes.var(length as u64);
            bytes.resize(bytes.len() + length, b'x');
            bytes
        };
        assert!(Get::new(&written(MAX_STRING)).string().is_some());
        assert_eq!(Get::new(&written(MAX_STRING + 1)).string(), None);
    }

    #[test]
    fn a_count_beyond_the_bytes_left_is_refused() {
        assert_eq!(Get::new(&[3, 0, 0]).count(), None);
        assert_eq!(Get::new(&[2, 0, 0]).count(), Some(2));
    }
}
