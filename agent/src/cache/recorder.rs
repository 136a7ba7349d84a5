//! The thread of the cache: it reads what the file has, and then writes what is to be kept, as it comes.
//!
//! Invariant: a record that is not whole is nobody's: the next run that may write cuts it off.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use rustc_hash::FxHashMap;

use super::Hash;
use super::file::{Head, MAGIC};
use super::index::Index;
use crate::values::{MAX_METHODS, MAX_SITES};

/// Bytes of a file at most.
const LIMIT: u64 = 256 << 20;
/// Records of one class file: as many loaders may define it, or as many answers differ.
const SAME: usize = 8;
/// Bytes that are written at once.
const BATCH: usize = 1 << 20;

/// What it is told.
pub(super) enum Message {
    /// A record.
    Keep(Head, Vec<u8>),
    /// The end of the run: an answer is waited for.
    Finish(Sender<()>),
}

pub(super) struct Recorder {
    file: Arc<File>,
    path: PathBuf,
    key: u128,
    writes: bool,
}

impl Recorder {
    pub(super) fn new(file: Arc<File>, path: &Path, key: u128, writes: bool) -> Self {
        Self { file, path: path.into(), key, writes }
    }

    pub(super) fn run(self, told: &Sender<Index>, records: &Receiver<Message>) {
        // Half of all ids are left to what is in no file.
        let is_small = |index: &Index| {
            let [_, methods, sites] = index.ends();
            methods < MAX_METHODS / 2 && sites < MAX_SITES / 2
        };
        let known = Index::read(&self.file, self.key).filter(is_small);
        let begins = known.is_none();
        let index = known.unwrap_or_default();
        let (end, counts) = (index.end(), index.counts());
        // Nobody waits any more only if the agent could not be set up.
        let _ = told.send(index);
        if self.writes {
            self.write(if begins { None } else { Some(end) }, counts, records);
        }
    }

    fn write(&self, good: Option<u64>, mut counts: FxHashMap<Hash, usize>, records: &Receiver<Message>) {
        let mut end = match self.begin(good) {
            Ok(end) => Some(end),
            Err(error) => self.stop(&error),
        };
        let mut batch = Vec::new();
        while let Ok(first) = records.recv() {
            batch.clear();
            let mut finished = None;
            for message in std::iter::once(first).chain(records.try_iter()) {
                match message {
                    Message::Keep(head, record) => {
                        let same = counts.entry(head.hash).or_default();
                        if *same < SAME {
                            *same += 1;
                            batch.extend(head.write());
                            batch.extend(record);
                        }
                    }
                    Message::Finish(done) => finished = Some(done),
                }
                if batch.len() >= BATCH || finished.is_some() {
                    break;
                }
            }
            end = end.and_then(|end| self.add(end, &batch));
            if let Some(done) = finished {
                // Whoever ends may have lost patience.
                let _ = done.send(());
            }
        }
    }

    /// Begins the file, or cuts off what is behind its good records.
    fn begin(&self, good: Option<u64>) -> io::Result<u64> {
        if let Some(end) = good {
            if self.file.metadata()?.len() != end {
                self.file.set_len(end)?;
            }
            return Ok(end);
        }
        self.file.set_len(0)?;
        let start = [&MAGIC[..], &self.key.to_le_bytes()].concat();
        self.file.write_all_at(&start, 0)?;
        Ok(start.len() as u64)
    }

    fn add(&self, end: u64, batch: &[u8]) -> Option<u64> {
        let behind = end + batch.len() as u64;
        if behind > LIMIT {
            let path = self.path.display();
            say!("the cache {path} is full: other classes are rewritten at each start; delete it to begin anew");
            return None;
        }
        match self.file.write_all_at(batch, end) {
            Ok(()) => Some(behind),
            Err(error) => self.stop(&error),
        }
    }

    fn stop(&self, error: &io::Error) -> Option<u64> {
        say!("cannot write the cache {}: {error}; no more classes are kept; make room there", self.path.display());
        None
    }
}
