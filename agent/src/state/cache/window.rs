//! A part of the file in memory: records are read in the order in which they were written, for
//! classes are loaded in the same order at each start.
//!
//! Invariant: it gives what was at that place when it was read; whoever wants to know whether that
//! is a record still asks the record.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes that are read at once, if not more are asked for.
const SIZE: usize = 64 << 10;

/// The part.
#[derive(Default)]
pub struct Window {
    at: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// So many bytes of the file from there on; `None` if it has not as many.
    pub(super) fn read(&mut self, file: &File, at: u64, len: usize) -> Option<&[u8]> {
        if self.part(at, len).is_none() {
            self.at = at;
            self.bytes.resize(len.max(SIZE), 0);
            let read = file.read_at(&mut self.bytes, at).unwrap_or(0);
            self.bytes.truncate(read);
        }
        self.part(at, len).and_then(|part| self.bytes.get(part))
    }

    fn part(&self, at: u64, len: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(at.checked_sub(self.at)?).ok()?;
        let end = start.checked_add(len)?;
        (end <= self.bytes.len()).then_some(start..end)
    }
}
