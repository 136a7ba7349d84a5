//! What the file of the cache has: where the records of each class file are, and the numbers above
//! all of their ids.
//!
//! Invariant: each record serves one class of this run. Whether a record is what was written is
//! looked at when it is read.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Hash;
use super::file::{HEAD, Head, START, Start};
use super::window::Window;

/// The records, by the hash of the class file.
#[derive(Default)]
pub struct Index {
    records: FxHashMap<Hash, SmallVec<[IndexedRecord; 1]>>,
    start: Start,
    ends: [u32; 3],
    /// Bytes of the file that are good.
    end: u64,
}

/// A record.
pub struct IndexedRecord {
    at: u64,
    len: u32,
    /// The end of its head, which is the head's checksum: what stands there later may be another's.
    seal: [u8; 8],
    taken: AtomicBool,
}

impl IndexedRecord {
    /// Reads the record; `None` if the file has something else there by now.
    pub(super) fn read<'w>(&self, file: &File, seed: u64, window: &'w mut Window) -> Option<&'w [u8]> {
        let bytes = window.read(file, self.at, HEAD + self.len as usize)?;
        let (head, record) = bytes.split_first_chunk::<HEAD>()?;
        let same = head.ends_with(&self.seal) && Head::read(seed, head)?.fits(seed, record);
        same.then_some(record)
    }

    /// Takes it for a class; false if another class has it.
    pub(super) fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::Relaxed)
    }

    /// Has a class of this run taken it?
    pub(super) fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }
}

impl Index {
    /// Reads what stands in front of the records, up to the first that is not whole; `None` if the
    /// file has another key.
    pub(super) fn read(file: &File, key: u128) -> Option<Self> {
        let len = file.metadata().ok()?.len();
        let start = Start::of(file).filter(|start| start.key == key)?;
        let mut index = Self::begun(start);
        let mut window = Window::default();
        while let Some(bytes) = window.read(file, index.end, HEAD).and_then(|bytes| bytes.first_chunk()) {
            match (Head::read(start.seed, bytes), bytes.last_chunk()) {
                (Some(head), Some(seal)) if index.end + HEAD as u64 + u64::from(head.len) <= len => {
                    index.add(&head, *seal);
                }
                _ => break,
            }
        }
        Some(index)
    }

    /// What a file has that has just been begun.
    pub(super) fn begun(start: Start) -> Self {
        Self { start, end: START as u64, ..Self::default() }
    }

    fn add(&mut self, head: &Head, seal: [u8; 8]) {
        let kept = IndexedRecord { at: self.end, len: head.len, seal, taken: AtomicBool::new(false) };
        self.records.entry(head.hash).or_default().push(kept);
        self.end += HEAD as u64 + u64::from(head.len);
        for (highest, end) in self.ends.iter_mut().zip(head.ends) {
            *highest = end.max(*highest);
        }
    }

    pub(super) fn of(&self, hash: Hash) -> &[IndexedRecord] {
        self.records.get(&hash).map_or(&[], |records| records)
    }

    /// The numbers above the highest class, method and site of any record.
    pub fn ends(&self) -> [u32; 3] {
        self.ends
    }

    pub(super) fn start(&self) -> Start {
        self.start
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// How many records each class file has.
    pub(super) fn counts(&self) -> FxHashMap<Hash, usize> {
        self.records.iter().map(|(hash, records)| (*hash, records.len())).collect()
    }
}
