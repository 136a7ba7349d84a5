//! A small hash table of numbers, for keys that are kept elsewhere.
//!
//! Invariant: what was inserted is found in the order of insertion among equal hashes. Source: open
//! addressing, linear probing.

/// Numbers by hash. Keys are compared by whoever has them.
#[derive(Default)]
pub(crate) struct HashTable {
    /// A power of two of them, or none.
    slots: Vec<Slot>,
    len: usize,
}

/// Number `u32::MAX` where there is none.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

const FREE: Slot = Slot { hash: 0, number: u32::MAX };
const SMALLEST: usize = 64;
const LARGE: usize = 1024;

impl HashTable {
    /// Forgets everything. What grew large is given back, so that it is not cleared again and again
    /// for a few numbers.
    pub(crate) fn clear(&mut self) {
        if self.slots.len() > LARGE {
            self.slots = Vec::new();
        }
        if self.len > 0 {
            self.slots.fill(FREE);
        }
        self.len = 0;
    }

    /// The first number under this hash that is `same`.
    pub(crate) fn find(&self, hash: u32, same: impl Fn(&u16) -> bool) -> Option<u16> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.number == FREE.number {
                return None;
            }
            if slot.hash == hash && same(&(slot.number as u16)) {
                return Some(slot.number as u16);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a number, behind those that are there.
    pub(crate) fn insert(&mut self, hash: u32, number: u16) {
        if self.len * 2 >= self.slots.len() {
            let size = (self.slots.len() * 2).max(SMALLEST);
            let old = std::mem::replace(&mut self.slots, vec![FREE; size]);
            // From behind a free slot on, runs are in the order of insertion.
            let first = old.iter().position(|slot| slot.number == FREE.number).unwrap_or(0);
            let (ahead, behind) = old.split_at(first);
            for slot in behind.iter().chain(ahead).filter(|slot| slot.number != FREE.number) {
                self.put(*slot);
            }
        }
        self.len += 1;
        self.put(Slot { hash, number: u32::from(number) });
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = slot.hash as usize & mask;
        while self.slots[at].number != FREE.number {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

/// A hash of bytes, mixed to its low bits.
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    let mut mix = |word: u64| hash = (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let Some(last) = bytes.last_chunk() else {
        mix(word(bytes));
        return (hash >> 32) as u32;
    };
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first_chunk() {
        mix(u64::from_le_bytes(*first));
        rest = behind;
    }
    // With some of the bytes before once more, which costs less than to take those that are left
    // one by one.
    mix(u64::from_le_bytes(*last));
    (hash >> 32) as u32
}

/// Fewer than 8 bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else a class of generated members would be slow to read.
    #[test]
    fn names_that_differ_anywhere_have_different_hashes() {
        let names = |form: fn(u32) -> String| (0..10_000).map(form);
        let all = names(|n| format!("{n:05}isTheFieldOfAConfiguration"))
            .chain(names(|n| format!("getTheField{n:05}OfAConfiguration")))
            .chain(names(|n| format!("getFieldOfTheConfiguration{n:05}")));
        let hashes: std::collections::HashSet<_> = all.map(|name| hash(name.as_bytes())).collect();
        assert!(hashes.len() > 29_990, "{}", hashes.len());
    }

    #[test]
    fn every_number_is_found_and_of_equal_keys_the_first() {
        let mut table = HashTable::default();
        let keys: Vec<Vec<u8>> = (0..500u32).map(|key| format!("a/b/C{}", key % 400).into_bytes()).collect();
        assert_eq!(table.find(hash(&keys[0]), |_| true), None);
        for (number, key) in keys.iter().enumerate() {
            table.insert(hash(key), number as u16);
        }
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(table.find(hash(key), |at| keys[usize::from(*at)] == *key), Some(number as u16 % 400));
        }
        table.clear();
        assert_eq!(table.find(hash(&keys[0]), |_| true), None);
    }
}
