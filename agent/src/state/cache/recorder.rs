//! The thread of the cache: it reads what the file has, and then writes what is to be kept, as it
//! comes.
//!
//! Invariant: a record that is not whole is nobody's: the next run that writes cuts it off. Records
//! go behind those that this run knows of, so their ids are above all others of the file; once
//! another run has written there, this one writes no more.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};
use rustc_hash::FxHashMap;

use super::file::{Head, Start};
use super::index::Index;
use super::{Hash, SAME, State};
use crate::hook_tables::values::{MAX_METHODS, MAX_SITES};

/// Bytes of a file at most.
const LIMIT: u64 = 256 << 20;
/// Bytes that are written at once.
const BATCH: usize = 1 << 20;
/// How long records gather, so that not each of them wakes this thread.
const GATHER: Duration = Duration::from_millis(10);
/// Without a class for so long, the lock is given back: another start of the program may have
/// classes to keep.
const IDLE: Duration = Duration::from_secs(10);

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
    /// How the file begins; if it has another key, how it is to begin.
    start: Start,
    state: Arc<State>,
    /// Has this run the lock?
    held: bool,
    /// Where the next record goes.
    end: u64,
    /// How many records each class file has.
    counts: FxHashMap<Hash, usize>,
}

/// Why nothing is written any more.
enum Stop {
    /// Another run has written.
    Overtaken,
    Full,
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Recorder {
    pub(super) fn new(file: Arc<File>, path: &Path, start: Start, state: Arc<State>) -> Self {
        Self { file, path: path.into(), start, state, held: false, end: 0, counts: FxHashMap::default() }
    }

    pub(super) fn run(mut self, told: &Sender<Index>, records: &Receiver<Message>) {
        self.start(told);
        self.serve(records);
    }

    /// Reads what the file has, and makes it ready for more.
    fn start(&mut self, told: &Sender<Index>) {
        // Before it is read, so that it stays what was read.
        self.held = self.writes() && self.file.try_lock().is_ok();
        // Half of all ids are left to what is in no file.
        let is_small = |index: &Index| {
            let [_, methods, sites] = index.ends();
            methods < MAX_METHODS / 2 && sites < MAX_SITES / 2
        };
        let known = Index::read(&self.file, self.start.key).filter(is_small);
        let begins = known.is_none();
        let index = known.unwrap_or_else(|| Index::begun(self.start));
        (self.start, self.end, self.counts) = (index.start(), index.end(), index.counts());
        // Nobody waits any more only if the agent could not be set up.
        let _ = told.send(index);
        if self.writes() {
            let begun = self.begin(begins);
            self.go_on_if(begun);
        }
    }

    fn serve(&mut self, records: &Receiver<Message>) {
        let mut batch = Vec::new();
        while let Some(first) = self.next(records) {
            if matches!(first, Message::Keep(..)) {
                std::thread::sleep(GATHER);
            }
            batch.clear();
            let (number, finished) = self.gather(std::iter::once(first).chain(records.try_iter()), &mut batch);
            if self.writes() && number > 0 {
                let added = self.add(&batch, number);
                self.go_on_if(added);
            }
            if let Some(done) = finished {
                // Whoever ends may have lost patience.
                let _ = done.send(());
            }
        }
    }

    /// The next message, for which the lock is not held for ever; `None` once there can be none.
    fn next(&mut self, records: &Receiver<Message>) -> Option<Message> {
        match records.recv_timeout(IDLE) {
            Err(error) if error.is_timeout() => {
                self.release();
                records.recv().ok()
            }
            received => received.ok(),
        }
    }

    /// Puts records behind the batch until it is large, or the run ends: how many, and who waits
    /// for that.
    fn gather(&mut self, messages: impl Iterator<Item = Message>, batch: &mut Vec<u8>) -> (u64, Option<Sender<()>>) {
        let mut number = 0;
        for message in messages {
            match message {
                Message::Finish(done) => return (number, Some(done)),
                Message::Keep(head, record) => {
                    let same = self.counts.entry(head.hash).or_default();
                    if *same < SAME {
                        *same += 1;
                        number += 1;
                        batch.extend(head.write(self.start.seed));
                        batch.extend(record);
                    }
                }
            }
            if batch.len() >= BATCH {
                break;
            }
        }
        (number, None)
    }

    fn writes(&self) -> bool {
        self.state.writes.load(Ordering::Relaxed)
    }

    /// Begins the file, or cuts off what is behind its good records.
    fn begin(&mut self, anew: bool) -> Result<(), Stop> {
        match (self.held, anew) {
            // Whoever has the lock may be about to begin it.
            (false, true) => return Err(Stop::Overtaken),
            (false, false) => {}
            (true, false) => {
                if self.file.metadata()?.len() != self.end {
                    self.file.set_len(self.end)?;
                }
            }
            (true, true) => {
                self.file.set_len(0)?;
                self.file.write_all_at(&self.start.write(), 0)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, batch: &[u8], number: u64) -> Result<(), Stop> {
        if !self.held {
            if self.file.try_lock().is_err() {
                // They are rewritten the next time as well.
                return Ok(());
            }
            self.held = true;
        }
        if self.file.metadata()?.len() != self.end || Start::of(&self.file) != Some(self.start) {
            return Err(Stop::Overtaken);
        }
        let behind = self.end + batch.len() as u64;
        if behind > LIMIT {
            return Err(Stop::Full);
        }
        self.file.write_all_at(batch, self.end)?;
        self.end = behind;
        self.state.recorded.fetch_add(number, Ordering::Relaxed);
        Ok(())
    }

    fn go_on_if(&mut self, done: Result<(), Stop>) {
        let Err(stop) = done else { return };
        self.state.writes.store(false, Ordering::Relaxed);
        let path = self.path.display();
        match stop {
            Stop::Overtaken => {}
            Stop::Full => {
                say!("the cache {path} is full: other classes are rewritten at each start; delete it to begin anew")
            }
            Stop::Failed(error) => {
                say!("cannot write the cache {path}: {error}; no more classes are kept; make room there")
            }
        }
        self.release();
    }

    fn release(&mut self) {
        // Where that fails, it is given back at the end.
        self.held = self.held && self.file.unlock().is_err();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64};

    use super::*;
    use crate::state::cache::Window;
    use crate::state::cache::file::{START, open};

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("lucce-cache-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self) -> PathBuf {
            self.0.join("classes")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    /// A run that has begun with what the file has.
    fn run(folder: &Folder, key: u128) -> (Recorder, Index) {
        static SEED: AtomicU64 = AtomicU64::new(1);
        let start = Start { key, seed: SEED.fetch_add(1, Ordering::Relaxed) };
        let (file, writes) = open(&folder.file()).unwrap();
        let state = Arc::new(State { writes: AtomicBool::new(writes), recorded: AtomicU64::new(0) });
        let mut recorder = Recorder::new(Arc::new(file), &folder.file(), start, state);
        let (told, index) = crossbeam_channel::bounded(1);
        recorder.start(&told);
        (recorder, index.recv().unwrap())
    }

    fn add(recorder: &mut Recorder, hash: Hash, id: u32) {
        let record = hash.to_le_bytes();
        let seed = recorder.start.seed;
        let head = Head::of(seed, hash, [id, id, id], &record);
        let added = recorder.add(&[&head.write(seed)[..], &record].concat(), 1);
        recorder.go_on_if(added);
    }

    fn found(index: &Index) -> (usize, [u32; 3]) {
        (index.counts().values().sum(), index.ends())
    }

    #[test]
    fn what_one_run_has_added_the_next_knows() {
        let folder = Folder::new("next");
        let (mut first, index) = run(&folder, 7);
        assert_eq!(found(&index), (0, [0; 3]));
        add(&mut first, 1, 5);
        add(&mut first, 2, 9);
        drop(first);
        assert_eq!(found(&run(&folder, 7).1), (2, [9; 3]));
        assert_eq!(found(&run(&folder, 8).1), (0, [0; 3]), "it has another key");
        assert_eq!(found(&run(&folder, 7).1), (0, [0; 3]), "and was begun anew by that run");
    }

    #[test]
    fn only_one_run_writes_at_a_time_and_none_behind_what_it_does_not_know() {
        let folder = Folder::new("one");
        let mut first = run(&folder, 7).0;
        add(&mut first, 1, 5);
        let (mut second, index) = run(&folder, 7);
        assert_eq!(found(&index).0, 1);
        add(&mut second, 2, 9);
        assert!(second.writes() && !second.held, "that was not written, but later ones may be");
        first.release();
        add(&mut second, 3, 9);
        assert!(second.held);
        second.release();
        add(&mut first, 4, 20);
        assert!(!first.writes(), "its ids are not above those that the other has written");
        assert_eq!(found(&run(&folder, 7).1), (2, [9; 3]));
    }

    /// It was taken for the one that had stood there, ids and all.
    #[test]
    fn what_another_run_has_put_in_the_place_of_a_record_is_nobodys() {
        let folder = Folder::new("place");
        let (mut first, _) = run(&folder, 7);
        add(&mut first, 1, 5);
        let (_, index) = run(&folder, 7);
        first.release();
        let read = |index: &Index| {
            let file = File::open(folder.file()).unwrap();
            index.of(1)[0].read(&file, index.start().seed, &mut Window::default()).map(<[u8]>::to_vec)
        };
        assert_eq!(read(&index), Some(1_u128.to_le_bytes().to_vec()));
        let before = std::fs::read(folder.file()).unwrap();
        let (mut other, _) = run(&folder, 8);
        add(&mut other, 1, 6);
        drop(other);
        assert_eq!(std::fs::metadata(folder.file()).unwrap().len(), before.len() as u64);
        assert_eq!(read(&index), None, "it is of another key");
        add(&mut first, 2, 9);
        assert!(!first.writes(), "nor is the length all that counts");
        // A copy that has gone on otherwise has the same seed.
        let bytes = |id| {
            std::fs::write(folder.file(), &before[..START]).unwrap();
            let (mut one, _) = run(&folder, 7);
            add(&mut one, 1, id);
            drop(one);
            std::fs::read(folder.file()).unwrap()
        };
        let (one, other) = (bytes(5), bytes(6));
        std::fs::write(folder.file(), one).unwrap();
        let (_, index) = run(&folder, 7);
        assert!(read(&index).is_some());
        std::fs::write(folder.file(), other).unwrap();
        assert_eq!(read(&index), None, "its ids are others");
    }

    #[test]
    fn a_record_that_is_not_whole_is_cut_off() {
        let folder = Folder::new("whole");
        let mut first = run(&folder, 7).0;
        add(&mut first, 1, 5);
        add(&mut first, 2, 9);
        drop(first);
        let file = File::options().write(true).open(folder.file()).unwrap();
        let len = file.metadata().unwrap().len();
        file.set_len(len - 1).unwrap();
        let (mut second, index) = run(&folder, 7);
        assert_eq!(found(&index), (1, [5; 3]));
        add(&mut second, 3, 6);
        drop(second);
        assert_eq!(found(&run(&folder, 7).1), (2, [6; 3]));
        assert_eq!(file.metadata().unwrap().len(), len);
    }
}
