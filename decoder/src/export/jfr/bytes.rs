//! Numbers, strings and records as JFR encodes them.
//!
//! Invariant: the size of a record takes four bytes, whatever it is, or more where it needs them:
//! readers skip by it.
//! Source: JDK 25, `jdk.jfr.internal.consumer.RecordingInput`.

/// Encodings of a string.
const NULL: u8 = 0;
const CONSTANT: u8 = 2;
const UTF8: u8 = 3;

/// Bytes in the making.
#[derive(Debug, Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// LEB128; a ninth byte has all its bits.
    pub(super) fn number(&mut self, mut value: u64) {
        for _ in 0..8 {
            if value < 0x80 {
                break;
            }
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    /// A string of its own. Never the short form of the empty one: some readers take names in UTF-8
    /// alone.
    pub(super) fn text(&mut self, text: &str) {
        self.0.push(UTF8);
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// A string of the pool, or none.
    pub(super) fn shared_text(&mut self, id: Option<u64>) {
        match id {
            None => self.0.push(NULL),
            Some(id) => {
                self.0.push(CONSTANT);
                self.number(id);
            }
        }
    }

    pub(super) fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// An event or another record: its size, its type, and what `write` adds.
    pub(super) fn record(&mut self, id: u64, write: impl FnOnce(&mut Self)) {
        let mut record = Self::default();
        record.number(id);
        write(&mut record);
        let mut width = 4;
        while width < 8 && record.len() + width >= 1 << (7 * width) {
            width += 1;
        }
        let mut size = record.len() + width;
        for _ in 1..width {
            self.0.push(size as u8 | 0x80);
            size >>= 7;
        }
        self.0.push(size as u8);
        self.extend(&record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_leb128_with_nine_bytes_at_most() {
        let encoded = |value| {
            let mut bytes = Bytes::default();
            bytes.number(value);
            bytes.0
        };
        assert_eq!(encoded(0), [0]);
        assert_eq!(encoded(300), [0xac, 2]);
        assert_eq!(encoded(1 << 56), [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]);
        assert_eq!(encoded(u64::MAX), [0xff; 9]);
    }

    #[test]
    fn a_record_has_its_size_in_four_bytes() {
        let mut bytes = Bytes::default();
        bytes.record(7, |record| record.text("é"));
        assert_eq!(bytes.0, [0x89, 0x80, 0x80, 0, 7, 3, 2, 0xc3, 0xa9]);
    }
}
