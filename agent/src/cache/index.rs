//! What the file of the cache has: where the records of each class file are, and the numbers above all of their ids.
//!
//! Invariant: each record serves one class of this run. Whether a record is what was written is looked at when it is read.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Hash;
use super::file::{HEAD, Head, MAGIC, START};

/// The records, by the hash of the class file.
#[derive(Default)]
pub struct Index {
    records: FxHashMap<Hash, SmallVec<[Kept; 1]>>,
    ends: [u32; 3],
    /// Bytes of the file that are good.
    end: u64,
}

/// A record.
pub struct Kept {
    at: u64,
    len: u32,
    taken: AtomicBool,
}

impl Kept {
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// Takes it for a class; false if another class has it.
    pub fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::Relaxed)
    }

    /// Has a class of this run taken it?
    pub fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }
}

impl Index {
    /// Reads what stands in front of the records, up to the first that is not whole; `None` if the file has another key.
    pub(super) fn read(file: &File, key: u128) -> Option<Self> {
        let len = file.metadata().ok()?.len();
        let mut start = [0; START];
        file.read_exact_at(&mut start, 0).ok()?;
        if start[..MAGIC.len()] != MAGIC[..] || start[MAGIC.len()..] != key.to_le_bytes() {
            return None;
        }
        let mut index = Self { end: START as u64, ..Self::default() };
        let mut bytes = [0; HEAD];
        while file.read_exact_at(&mut bytes, index.end).is_ok() {
            match Head::read(&bytes) {
                Some(head) if index.end + HEAD as u64 + u64::from(head.len) <= len => index.add(&head),
                _ => break,
            }
        }
        Some(index)
    }

    fn add(&mut self, head: &Head) {
        let kept = Kept { at: self.end, len: head.len, taken: AtomicBool::new(false) };
        self.records.entry(head.hash).or_default().push(kept);
        self.end += HEAD as u64 + u64::from(head.len);
        for (highest, end) in self.ends.iter_mut().zip(head.ends) {
            *highest = end.max(*highest);
        }
    }

    pub(super) fn of(&self, hash: Hash) -> &[Kept] {
        self.records.get(&hash).map_or(&[], |records| records)
    }

    /// The numbers above the highest class, method and site of any record.
    pub fn ends(&self) -> [u32; 3] {
        self.ends
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// How many records each class file has.
    pub(super) fn counts(&self) -> FxHashMap<Hash, usize> {
        self.records.iter().map(|(hash, records)| (*hash, records.len())).collect()
    }
}
