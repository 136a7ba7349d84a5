//! Columns of whole numbers, as the page reads them.
//!
//! Invariant: numbers below 2^7 take a byte. Negative ones stand between the others: 0, -1, 1, -2.
//! Source: LEB128 (DWARF 5, section 7.6); Protocol Buffers, "Signed Integers" (zigzag).

/// Columns, one behind the other. The reader knows how long each is.
#[derive(Debug, Default)]
pub struct Columns(Vec<u8>);

impl Columns {
    /// A column.
    pub fn put<T: Into<u128>>(&mut self, numbers: impl IntoIterator<Item = T>) {
        numbers.into_iter().for_each(|number| self.number(number.into()));
    }

    /// A column of which some may be negative.
    pub fn put_signed(&mut self, numbers: impl IntoIterator<Item = i128>) {
        self.put(numbers.into_iter().map(|number| (number << 1 ^ number >> 127) as u128));
    }

    fn number(&mut self, mut number: u128) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// All of them.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_have_their_bytes() {
        let mut columns = Columns::default();
        columns.put([0_u64, 127, 128, 300]);
        columns.put_signed([0, -1, 1, -64, 64]);
        assert_eq!(columns.bytes(), [0, 127, 0x80, 1, 0xAC, 2, 0, 1, 2, 127, 0x80, 1]);
        let mut columns = Columns::default();
        columns.put_signed([i128::MIN]);
        assert_eq!(columns.bytes(), [&[0xFF; 18][..], &[3]].concat());
    }
}
