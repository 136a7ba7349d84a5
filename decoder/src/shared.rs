//! Strings that many records share, by number: told apart without being read again for each record
//! that names them.
//!
//! Invariant: equal strings have one number, from 0 without gaps. A string is read once for each of
//! its definitions in the log, so neither time nor memory grows with its length times the records
//! that name it.
//! Source: docs/FORMAT.md, "Tables".

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// The numbers.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// By address and length; kept, so that no other string comes to lie there.
    met: HashMap<(usize, usize), (Arc<str>, u32), RandomState>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Shared {
    /// The number of a string.
    pub(crate) fn number(&mut self, string: &Arc<str>) -> u32 {
        let place = (string.as_ptr().addr(), string.len());
        if let Some((_, number)) = self.met.get(&place) {
            return *number;
        }
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(Arc::clone(string)).or_insert(next);
        self.met.insert(place, (Arc::clone(string), number));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_number_wherever_they_lie() {
        let mut shared = Shared::default();
        let numbers = ["a", "b", "", "a", "b", "c"].map(|string| shared.number(&string.into()));
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
    }
}
