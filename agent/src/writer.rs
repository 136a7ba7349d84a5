//! The log file and the one thread that writes it.
//!
//! Invariants: records are written in the order in which they were queued; a block that could not be written whole is taken back,
//! so the file always ends with a complete block; a full disk costs one warning, keeps graph records in memory for a later try, and never
//! stops the application.
//! Source: DESIGN section 6; file handling of issue "change log".

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use lucce_log::{BlockBuilder, Record};

use crate::lock::Lock;

/// Batches in the queue above which producers wait, outside every lock.
const CAPACITY: usize = 4096;
/// How long an event waits for a place before it is dropped.
const EVENT_PATIENCE: Duration = Duration::from_millis(20);
/// Longest time a record stays in memory.
const LATEST: Duration = Duration::from_millis(200);
/// How long the writer lets records gather: a thread that queues while it sleeps need not wake it.
const GATHER: Duration = Duration::from_millis(4);
/// Bytes of a block's payload.
const BLOCK: usize = 128 << 10;
/// Bytes kept for a later try when the disk is full.
const BACKLOG: usize = 64 << 20;

/// Counters by name, always in the same order; read on the writer's thread, so never under the encoder's lock.
pub type Figures = fn() -> Vec<(&'static str, u64)>;

enum Message {
    Records(Vec<Record>),
    Stop,
}

/// The producers' side.
pub struct Writer {
    queue: Sender<Message>,
    thread: Lock<Option<JoinHandle<()>>>,
    dropped: AtomicU64,
    path: PathBuf,
}

impl Writer {
    /// Starts the writer on an opened file, with `header` as its first bytes. Each block ends with those of `figures` that have changed,
    /// so that a log that was cut has them too.
    ///
    /// # Errors
    /// The header could not be written, or no thread could be started.
    pub fn start(mut file: File, path: PathBuf, header: &[u8], figures: Figures) -> io::Result<Self> {
        file.write_all(header)?;
        let (queue, records) = unbounded();
        let mut output = Output::new(file, path.clone(), header.len() as u64, figures);
        let thread = std::thread::Builder::new().name("lucce-writer".into()).spawn(move || output.run(&records))?;
        Ok(Self { queue, thread: Lock::new(Some(thread)), dropped: AtomicU64::new(0), path })
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Queues graph records: never dropped, never waits. To be called under the encoder's lock, so that the queue's order is the
    /// graph's order.
    pub fn queue(&self, records: Vec<Record>) {
        if !records.is_empty() {
            // The receiver lives until `stop`; what comes later has no reader any more.
            let _ = self.queue.send(Message::Records(records));
        }
    }

    /// Waits while the queue is full; to be called outside every lock, after [`Self::queue`].
    pub fn pace(&self) {
        if self.queue.len() <= CAPACITY {
            return;
        }
        let start = Instant::now();
        while self.queue.len() > CAPACITY && start.elapsed() < Duration::from_secs(1) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Queues an event, or counts it as dropped when the queue stays full. Did it go in?
    pub fn event(&self, records: Vec<Record>) -> bool {
        let start = Instant::now();
        while self.queue.len() > CAPACITY {
            if start.elapsed() > EVENT_PATIENCE {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.queue(records);
        true
    }

    /// Events dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Writes what is queued, then `End`, and waits for it. Later records are ignored.
    pub fn stop(&self) {
        let mut thread = self.thread.lock();
        if let Some(thread) = thread.take() {
            let _ = self.queue.send(Message::Stop);
            // A writer that panicked has said so; there is nothing to add.
            let _ = thread.join();
        }
    }
}

/// The writer thread's side.
struct Output {
    file: File,
    path: PathBuf,
    builder: BlockBuilder,
    seq: u64,
    /// Bytes of the file that are complete blocks.
    good: u64,
    /// Finished blocks that the disk has not taken yet.
    backlog: Vec<Vec<u8>>,
    warned: bool,
    figures: Figures,
    /// The figures that the log has.
    told: Vec<(&'static str, u64)>,
}

impl Output {
    fn new(file: File, path: PathBuf, good: u64, figures: Figures) -> Self {
        let (builder, backlog, told) = (BlockBuilder::new(), Vec::new(), Vec::new());
        Self { file, path, builder, seq: 0, good, backlog, warned: false, figures, told }
    }

    fn run(&mut self, records: &Receiver<Message>) {
        let mut oldest: Option<Instant> = None;
        loop {
            let wait = oldest.map_or(Duration::from_secs(3600), |oldest| LATEST.saturating_sub(oldest.elapsed()));
            if oldest.is_some() && records.is_empty() {
                std::thread::sleep(GATHER);
            }
            match records.recv_timeout(wait) {
                Ok(Message::Records(batch)) => {
                    oldest.get_or_insert_with(Instant::now);
                    for record in &batch {
                        // While the disk is full only the graph is kept.
                        if self.backlog.is_empty() || !matches!(record, Record::Event { .. }) {
                            self.builder.push(record);
                        }
                    }
                    if self.builder.len() < BLOCK && oldest.is_some_and(|oldest| oldest.elapsed() < LATEST) {
                        continue;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    self.builder.push(&Record::End);
                    self.flush();
                    return;
                }
            }
            self.tell();
            self.flush();
            oldest = (!self.backlog.is_empty()).then(Instant::now);
        }
    }

    /// Adds the figures that have changed to a block that is about to be written.
    fn tell(&mut self) {
        if self.builder.is_empty() {
            return;
        }
        let figures = (self.figures)();
        let known = |index: usize| self.told.get(index).map_or(0, |&(_, value)| value);
        let changed = figures.iter().enumerate().filter(|&(index, &(_, value))| value != known(index));
        let values = changed.map(|(_, &(name, value))| (name.to_string(), value)).collect();
        self.builder.push(&Record::Counters { values });
        self.told = figures;
    }

    fn flush(&mut self) {
        if !self.builder.is_empty() {
            let block = self.builder.finish(self.seq);
            self.seq += 1;
            let kept: usize = self.backlog.iter().map(Vec::len).sum();
            if kept + block.len() > BACKLOG {
                // The reader sees the gap in the block numbers and counts what was lost.
                self.builder.forget_definitions();
            } else {
                self.backlog.push(block);
            }
        }
        let mut written = 0;
        for block in &self.backlog {
            if let Err(error) = self.file.write_all(block) {
                let taken_back = self.file.set_len(self.good).and_then(|()| self.file.seek(SeekFrom::Start(self.good)));
                if !self.warned || taken_back.is_err() {
                    self.warned = true;
                    eprintln!(
                        "lucce: cannot write {}: {error}; the log is kept in memory for a while, free some space to keep it",
                        self.path.display()
                    );
                }
                break;
            }
            self.good += block.len() as u64;
            written += 1;
        }
        self.backlog.drain(..written);
    }
}

/// Opens the log: owner-only, no symbolic link followed, an existing file moved aside.
///
/// # Errors
/// One line that says what is in the way.
pub fn open(path: &Path) -> Result<File, String> {
    let open = || {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
            .open(path)
    };
    let result = match open() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match std::fs::symlink_metadata(path) {
            Ok(existing) if existing.file_type().is_symlink() => {
                return Err(format!(
                    "the log {} is a symbolic link, which is not followed; name another file",
                    path.display()
                ));
            }
            Ok(existing) if !existing.is_file() => {
                OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC).open(path)
            }
            _ => aside(path).and_then(|()| open()),
        },
        other => other,
    };
    result.map_err(|error| format!("cannot create the log {}: {error}; name another with file=<path>", path.display()))
}

/// Renames an existing log to `name.1`, `name.2`, ...: the first that is free.
fn aside(path: &Path) -> io::Result<()> {
    for number in 1..10_000 {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        if std::fs::symlink_metadata(&name).is_err() {
            return std::fs::rename(path, name);
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "too many earlier logs of this name"))
}

/// `%p`, `%t`, `%h` and `%%` in a path.
pub fn expand(pattern: &str, pid: u32, time: u64, host: &str) -> PathBuf {
    let mut path = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match (c, c == '%').1.then(|| rest.next()) {
            None => path.push(c),
            Some(Some('p')) => path += &pid.to_string(),
            Some(Some('t')) => path += &time.to_string(),
            Some(Some('h')) => path += host,
            Some(Some('%')) | Some(None) => path.push('%'),
            Some(Some(other)) => {
                path.push('%');
                path.push(other);
            }
        }
    }
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_is_expanded() {
        assert_eq!(expand("a-%p-%t-%h%%.log", 7, 9, "box"), PathBuf::from("a-7-9-box%.log"));
        assert_eq!(expand("100%", 1, 2, "h"), PathBuf::from("100%"));
    }
}
