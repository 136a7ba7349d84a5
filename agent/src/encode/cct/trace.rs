//! `trace=<file>`: every entry as the node that it came to, in order, by thread.
//!
//! A thread's hooks write the words of its entries into a buffer of its tree ([`Buffer`]). A full
//! buffer is handed to the writer thread, with the time. Invariants: the file is an exact prefix of
//! each thread's stream. If anything cannot be kept (a full disk, a writer that is stuck, too many
//! threads at once), the trace ends there for good; it says so, and counts what is missing. Memory
//! is bounded: [`MOST_BUFFERS`] buffers, [`QUEUE`] more of them on their way, and what the writer
//! needs for each node. Only a tree's thread resets its buffer, under the gate. A killed process
//! loses what its buffers hold. Source: `profiles/src/trace.rs` (the format).

mod writer;

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};

use crate::hook_tables::cct::buffer::Buffer;
use crate::hook_tables::cct::tree::Tree;
use crate::state::agent::Agent;
use crate::state::run::Run;
use crate::support::lock::Lock;

/// Most buffers: as many as threads live at once. 64 MiB.
const MOST_BUFFERS: u64 = 1 << 14;
/// Buffers on their way to the writer: 2 MiB.
const QUEUE: usize = 512;
/// How long a thread waits for a place in the queue: a writer that takes nothing for so long is
/// stuck, and not just behind.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the end of the run waits for it.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// What goes to the writer.
enum Message {
    Entries { thread: u32, time: u64, words: Vec<u64> },
    Ended { thread: u32, time: u64 },
    Stop,
}

/// The trace of a run.
pub struct EntryTrace {
    gate: Lock<Gate>,
    status: Arc<Status>,
    path: PathBuf,
}

/// What may be done one at a time only.
struct Gate {
    queue: Sender<Message>,
    writer: Option<JoinHandle<()>>,
    threads: u32,
    buffers: u64,
}

/// What all sides know of it.
#[derive(Default)]
struct Status {
    /// Nothing more is taken.
    ended: AtomicBool,
    entries: AtomicU64,
    dropped: AtomicU64,
    bytes: AtomicU64,
}

/// What [`EntryTrace::figures`] tells.
pub struct TraceFigures {
    /// Entries in the file.
    pub entries: u64,
    /// Entries behind its end.
    pub dropped: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl EntryTrace {
    /// Begins it in a file that is there and empty.
    ///
    /// # Errors
    /// One line: it cannot be written, or there is no thread.
    pub fn start(file: File, path: PathBuf) -> Result<Self, String> {
        let (queue, messages) = bounded(QUEUE);
        let status = Arc::new(Status::default());
        let mut output = writer::Output::new(file, Arc::clone(&status));
        output.begin().map_err(|error| format!("cannot write the trace {}: {error}", path.display()))?;
        let writer = std::thread::Builder::new().name("lucce-trace".into()).spawn(move || output.run(&messages));
        let writer = writer.map_err(|error| format!("the trace has no thread: {error}"))?;
        let gate = Gate { queue, writer: Some(writer), threads: 0, buffers: 0 };
        Ok(Self { gate: Lock::new(gate), status, path })
    }

    /// The counts so far.
    pub fn figures(&self) -> TraceFigures {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        TraceFigures {
            entries: load(&self.status.entries),
            dropped: load(&self.status.dropped),
            bytes: load(&self.status.bytes),
        }
    }

    /// The address of the tree's buffer, with a place for an entry; 0 if that will not be traced,
    /// which is counted. Only by the tree's thread. `missed` entries were made before of which the
    /// hooks could not tell.
    pub(super) fn room(&self, run: &Run, tree: &Tree, missed: u64) -> u64 {
        if missed > 0 {
            self.end(run, missed, "the stack of a thread was used up");
        }
        let address = tree.trace.load(Ordering::Relaxed);
        // SAFETY: not 0, so a buffer that `make` has made; none is ever freed.
        let buffer = if address == 0 { self.make(run, tree) } else { Some(unsafe { Buffer::at(address) }) };
        let ended = || self.status.ended.load(Ordering::Relaxed);
        let handed = buffer.filter(|buffer| buffer.is_ready() || self.hand_on(run, buffer));
        match handed {
            Some(buffer) if !ended() => buffer.address(),
            _ => {
                self.status.dropped.fetch_add(1, Ordering::Relaxed);
                0
            }
        }
    }

    /// The tree's thread ends: what its buffer holds is handed on.
    pub(super) fn release(&self, run: &Run, tree: &Tree) {
        let address = tree.trace.load(Ordering::Relaxed);
        if address == 0 {
            return;
        }
        // SAFETY: as in `room`.
        let buffer = unsafe { Buffer::at(address) };
        if buffer.thread() == 0 {
            return;
        }
        self.hand_on(run, buffer);
        let thread = buffer.thread();
        buffer.belongs_to(0);
        let gate = self.gate.lock();
        self.send(run, &gate, Message::Ended { thread, time: run.now() });
    }

    /// The run ends: takes what all buffers of these trees hold, and closes the file. Threads that
    /// still run are not traced any more.
    pub(super) fn finish<'t>(&self, agent: &Agent, trees: impl Iterator<Item = &'t Tree>) {
        let writer = {
            let mut gate = self.gate.lock();
            for tree in trees {
                let address = tree.trace.load(Ordering::Acquire);
                if address != 0 {
                    // SAFETY: as in `room`.
                    self.send(&agent.run, &gate, message(unsafe { Buffer::at(address) }, agent.run.now()));
                }
            }
            self.status.ended.store(true, Ordering::Relaxed);
            let stopped = gate.queue.send_timeout(Message::Stop, LAST_PATIENCE);
            gate.writer.take().filter(|_| stopped.is_ok())
        };
        let start = Instant::now();
        while writer.as_ref().is_some_and(|writer| !writer.is_finished()) && start.elapsed() < LAST_PATIENCE {
            std::thread::sleep(Duration::from_micros(500));
        }
        let TraceFigures { entries, dropped, .. } = self.figures();
        if dropped > 0 {
            say!("{entries} entries in the trace {}, {dropped} behind its end are not", self.path.display());
        } else if !agent.options.quiet {
            say!("{entries} entries in the trace {}", self.path.display());
        }
    }

    /// Gives the tree a buffer; `None` without memory, or where there are too many.
    fn make(&self, run: &Run, tree: &Tree) -> Option<&'static Buffer> {
        let full = {
            let mut gate = self.gate.lock();
            gate.buffers += 1;
            gate.buffers > MOST_BUFFERS
        };
        let Some(buffer) = (if full { None } else { Buffer::allocate() }) else {
            self.end(run, 0, "too many threads run at once");
            return None;
        };
        tree.trace.store(buffer.address(), Ordering::Release);
        Some(buffer)
    }

    /// Sends what is in the buffer and empties it. False if the trace has ended. Only by the
    /// buffer's thread.
    fn hand_on(&self, run: &Run, buffer: &Buffer) -> bool {
        let mut gate = self.gate.lock();
        if buffer.thread() == 0 {
            gate.threads += 1;
            buffer.belongs_to(gate.threads);
        }
        let message = message(buffer, run.now());
        buffer.empty();
        self.send(run, &gate, message);
        !self.status.ended.load(Ordering::Relaxed)
    }

    /// Sends a message, or ends the trace if that is not possible. Under the gate, so that nothing
    /// overtakes what the thread sent before.
    fn send(&self, run: &Run, gate: &Gate, message: Message) {
        let number = match &message {
            Message::Entries { words, .. } => words.len() as u64,
            Message::Ended { .. } | Message::Stop => 1,
        };
        if number == 0 {
            return;
        }
        if self.status.ended.load(Ordering::Relaxed) {
            self.status.leave_out(&message);
        } else if let Err(error) = gate.queue.send_timeout(message, PATIENCE) {
            self.status.leave_out(&error.into_inner());
            self.end(run, 0, "its writer does not get on");
        }
    }

    /// Ends it before the run does.
    fn end(&self, run: &Run, missed: u64, why: &str) {
        self.status.dropped.fetch_add(missed, Ordering::Relaxed);
        if !self.status.ended.swap(true, Ordering::Relaxed) {
            run.note(&format!("trace: {why}; the trace ends here"));
            say!("{why}; the trace {} ends here, the program goes on", self.path.display());
        }
    }
}

impl Status {
    /// Counts what does not come into the file.
    fn leave_out(&self, message: &Message) {
        if let Message::Entries { words, .. } = message {
            self.dropped.fetch_add(words.len() as u64, Ordering::Relaxed);
        }
    }
}

/// What a buffer holds.
fn message(buffer: &Buffer, time: u64) -> Message {
    Message::Entries { thread: buffer.thread(), time, words: buffer.words() }
}
