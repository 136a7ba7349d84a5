//! The log: the queue that all threads write to, and the one thread that writes files.
//!
//! Invariants: records are written in the order in which they were queued; graph records are never
//! dropped; no thread of the application waits long, and none under a lock; for a writer that is
//! stuck, in a pipe that nobody reads, none waits again and again. Nothing here knows the JVM: what
//! it needs of the program that it is part of is its [`Host`].
//! Source: docs/design/log-files.md ("Write-ahead", "Files of a run").

// They end the program where standard error takes nothing; lines go to the host.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod backlog;
mod counter_delta;
mod existing;
mod files;
mod host;
pub mod identity;
mod limits;
mod message;
mod output;
mod spool;
mod status;
mod target;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded, unbounded};
use lucce_locks::Lock;
use lucce_log::{Header, Record};

pub use files::{Files, Naming};
pub use host::{CounterSource, Host, SOURCES, SourceId};
pub use limits::Limits;
use message::{Message, WriterRequest};
use output::Output;
use status::Status;

/// Batches in the queue above which producers wait, outside every lock.
const CAPACITY: usize = 4096;
/// How long an event waits for a place before it is dropped; and how long while definitions are
/// repeated.
const EVENT_PATIENCE: Duration = Duration::from_millis(20);
const BUSY_PATIENCE: Duration = Duration::from_secs(1);
/// A writer that has not moved for so long is stuck: nobody waits for it but the end of the run,
/// and that not for ever.
const STUCK: Duration = Duration::from_secs(1);
const LAST_PATIENCE: Duration = Duration::from_secs(5);
/// How long somebody who asks waits for an answer.
const ANSWER: Duration = Duration::from_secs(20);

/// The producers' side.
pub struct Writer {
    queue: Sender<Message>,
    thread: Lock<Option<JoinHandle<()>>>,
    /// Events that went into the queue, and those that did not.
    queued: AtomicU64,
    dropped: AtomicU64,
    status: Arc<Status>,
    host: Host,
}

impl Writer {
    /// Opens the first file, in `temporary` if the working directory cannot be written, and starts
    /// the writer. Each block ends with those of the host's figures that have changed, so that a
    /// log that was cut has them too.
    ///
    /// # Errors
    /// One line: no file could be opened or begun, or no thread started.
    pub fn start(
        mut files: Files,
        temporary: &Path,
        header: Header,
        limits: Limits,
        host: Host,
    ) -> Result<Self, String> {
        let (file, path) = files.first(temporary, host)?;
        let refused =
            |error| format!("cannot write the log {}: {error}; name another with file=<path>", path.display());
        let status = Arc::new(Status::new(path.clone()));
        let mut output = Output::new(file, files, header, limits, Arc::clone(&status), host).map_err(refused)?;
        let (queue, records) = unbounded();
        let thread = std::thread::Builder::new().name("lucce-writer".into()).spawn(move || {
            output.run(&records);
            drop((output, records));
            (host.ended)();
        });
        let thread = Lock::new(Some(thread.map_err(refused)?));
        Ok(Self { queue, thread, queued: AtomicU64::new(0), dropped: AtomicU64::new(0), status, host })
    }

    /// Where the log is now.
    pub fn path(&self) -> PathBuf {
        self.status.path()
    }

    /// Queues graph records: never dropped, never waits. To be called under the encoder's lock, so
    /// that the queue's order is the graph's order.
    pub fn queue(&self, records: Vec<Record>) {
        if !records.is_empty() {
            // The receiver lives until `stop`; what comes later has no reader any more.
            let _ = self.queue.send(Message::Records(records));
        }
    }

    /// Queues sums, as [`Self::queue`] does graph records.
    pub fn queue_sums(&self, sums: Vec<Record>) {
        self.status.sums.fetch_add(1, Ordering::Relaxed);
        // As in `queue`.
        let _ = self.queue.send(Message::Sums(sums));
    }

    /// Have all sums been taken that were queued, by a disk that takes more? Whoever waits for that
    /// has no more than one lot of them in memory.
    pub fn takes_sums(&self) -> bool {
        !self.status.full.load(Ordering::Relaxed) && self.status.sums.load(Ordering::Relaxed) == 0
    }

    /// Waits while the queue is full; to be called outside every lock, after [`Self::queue`].
    pub fn pace(&self) {
        if self.queue.len() <= CAPACITY {
            return;
        }
        let start = Instant::now();
        while self.queue.len() > CAPACITY && start.elapsed() < BUSY_PATIENCE && self.status.still() < STUCK {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for a place for an event; to be called before what only that event needs is queued.
    /// Without one, for the disk or the queue is full and stays so, the event is counted as
    /// dropped. Is there one?
    pub fn has_place(&self) -> bool {
        let has_room = !self.status.full.load(Ordering::Relaxed) && self.has_room();
        if !has_room {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        has_room
    }

    /// Queues an event that has a place.
    pub fn event(&self, event: Record, source: impl Into<SourceId>) {
        // Before the writer may discard it.
        self.queued.fetch_add(1, Ordering::Relaxed);
        // As in `queue`.
        let _ = self.queue.send(Message::Event(event, source.into()));
    }

    /// Queues two events for which there is a place; nothing comes between them in the log.
    pub fn pair(&self, events: [Record; 2], source: impl Into<SourceId>) {
        self.queued.fetch_add(2, Ordering::Relaxed);
        // As in `queue`.
        let _ = self.queue.send(Message::Pair(Box::new(events), source.into()));
    }

    /// Waits for a place in the queue, as long as an event may wait. Is there one?
    fn has_room(&self) -> bool {
        let start = Instant::now();
        while self.queue.len() > CAPACITY {
            let busy = self.status.busy.load(Ordering::Relaxed);
            let patience = if busy { BUSY_PATIENCE } else { EVENT_PATIENCE };
            if start.elapsed() > patience || self.status.still() > STUCK {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Events that are in the log or on their way there.
    pub fn events(&self) -> u64 {
        let discarded = self.status.all_discarded();
        self.queued.load(Ordering::Relaxed).saturating_sub(discarded)
    }

    /// Events dropped so far, before the queue or behind it.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed) + self.status.all_discarded()
    }

    /// Counted events whose sums the disk did not take.
    pub fn lost_sums(&self) -> u64 {
        self.status.lost_sums()
    }

    /// Was there a time when the disk, or who reads a pipe, took no more; and is it still so?
    pub fn was_full(&self) -> (bool, bool) {
        let load = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        (load(&self.status.refused), load(&self.status.full))
    }

    /// Events of a source that went into the queue and that the disk did not take.
    pub fn discarded(&self, source: impl Into<SourceId>) -> u64 {
        self.status.discarded(source.into())
    }

    /// Waits until everything that was queued before is on the disk.
    ///
    /// # Errors
    /// Why it is not.
    pub fn flush(&self) -> Result<(), String> {
        self.ask(WriterRequest::Flush)
    }

    /// Goes on in the next file.
    ///
    /// # Errors
    /// Why it does not.
    pub fn rotate(&self) -> Result<(), String> {
        self.ask(WriterRequest::Rotate)
    }

    fn ask(&self, what: WriterRequest) -> Result<(), String> {
        let (answer, answered) = bounded(1);
        // Without a reader the wait below ends at once.
        let _ = self.queue.send(Message::Ask(what, answer));
        answered.recv_timeout(ANSWER).unwrap_or_else(|_| Err("the log is closed, or its disk does not answer".into()))
    }

    /// Writes what is queued, then the `last` records and `End`, in one file, and waits for it as
    /// long as the writer gets on. Later records are ignored. Has it ended?
    pub fn stop(&self, last: Vec<Record>) -> bool {
        let Some(thread) = self.thread.lock().take() else { return true };
        let _ = self.queue.send(Message::Stop(last));
        let start = Instant::now();
        while !thread.is_finished() {
            if self.status.still().min(start.elapsed()) > LAST_PATIENCE {
                // The thread goes with the process.
                let (path, dropped) = (self.path(), self.dropped());
                (self.host.say)(format_args!(
                    "nobody takes the log {} any more: its end is missing, at least {dropped} events were dropped",
                    path.display()
                ));
                return false;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        // A writer that panicked has said so; there is nothing to add.
        let _ = thread.join();
        true
    }
}
