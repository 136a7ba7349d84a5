//! The writer thread's side: records become blocks, blocks become files.
//!
//! Invariants: records are written in the order in which they were queued, definitions before
//! events; what is in the backlog is written before anything that comes later.
//! Source: docs/FORMAT.md, "Files and keyframes"; docs/design/log-files.md ("Files of a run").

mod rotation;

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use lucce_log::{Composer, Header, Keep, Record};

use super::backlog::Backlog;
use super::counter_delta::CounterDelta;
use super::files::Files;
use super::message::{Load, Message, WriterRequest};
use super::spool::Spool;
use super::target::Target;
use super::{Host, Limits, SourceId, Status};

/// Longest time a record stays in memory.
const LATEST: Duration = Duration::from_millis(200);
/// After a new version, or after classes were unloaded, memory is given back when nothing was
/// written for so long.
const QUIET: Duration = Duration::from_secs(1);
/// How long the writer lets records gather: a thread that queues while it sleeps need not wake it.
const GATHER: Duration = Duration::from_millis(4);
/// Bytes of a block's payload.
const BLOCK: usize = 128 << 10;
/// A keyframe is due behind so many times its own size.
const KEYFRAME_SHARE: u64 = 4;

/// What the writer thread owns.
pub(super) struct Output {
    target: Target,
    files: Files,
    header: Header,
    limits: Limits,
    status: Arc<Status>,
    host: Host,
    composer: Composer,
    /// Why no other file can be begun, if that is so.
    alone: Option<&'static str>,
    /// Bytes that the file begins with.
    opening: u64,
    /// When it was begun.
    opened: Instant,
    /// Bytes since the definitions were last repeated.
    since_keyframe: u64,
    /// A block was lost: definitions are to be repeated as soon as the disk takes some.
    torn: bool,
    /// What is in no block yet.
    gathered: Load,
    /// While there is any, no more events are kept: only the graph is.
    backlog: Backlog,
    warned: bool,
    /// The encoder has let go of much since memory was given back.
    untidy: bool,
    /// Since when the next file cannot be begun.
    stuck: Option<Instant>,
    counters: CounterDelta,
}

impl Output {
    /// Begins the first file.
    ///
    /// # Errors
    /// The header could not be written.
    pub(super) fn new(
        file: File,
        files: Files,
        header: Header,
        mut limits: Limits,
        status: Arc<Status>,
        host: Host,
    ) -> io::Result<Self> {
        let first = Header { part: files.number(), ..header.clone() };
        let target = Target::begin(file, &first, &CounterDelta::nothing_refused(), &status)?;
        let alone = if !target.is_regular() {
            (limits.bytes, limits.every) = (None, None);
            Some("a pipe or a device is one log; name a file with file=<path>")
        } else if !limits.repeat() {
            // What was defined is forgotten, and the events of another file could not be decoded.
            Some(
                "definitions are not repeated with rotate=off,keyframe=off and with encoder=algorithm1; leave these out",
            )
        } else {
            None
        };
        let keep = limits.repeat().then(|| Box::new(Spool::beside(&status.path())) as Box<dyn Keep>);
        let composer = Composer::keeping(keep);
        let composer = if target.is_regular() { composer.behind_pinned() } else { composer };
        Ok(Self {
            opening: target.len(),
            target,
            files,
            header,
            limits,
            status,
            host,
            composer,
            alone,
            opened: Instant::now(),
            since_keyframe: 0,
            torn: false,
            gathered: Load::default(),
            backlog: Backlog::default(),
            warned: false,
            untidy: false,
            stuck: None,
            counters: CounterDelta::new(host.figures),
        })
    }

    pub(super) fn run(&mut self, records: &Receiver<Message>) {
        let mut oldest: Option<Instant> = None;
        loop {
            let idle = if self.untidy { QUIET } else { Duration::from_secs(3600) };
            let wait = oldest.map_or(idle, |oldest| LATEST.saturating_sub(oldest.elapsed()));
            if oldest.is_some() && records.is_empty() {
                std::thread::sleep(GATHER);
            }
            let mut asked = None;
            self.status.rests();
            let message = records.recv_timeout(wait);
            self.status.moves();
            let gathers = match message {
                Ok(Message::Records(batch)) => {
                    batch.iter().for_each(|record| self.take(record));
                    true
                }
                Ok(Message::Sums(sums)) => {
                    sums.iter().for_each(|sum| self.take_sum(sum));
                    self.status.sums.fetch_sub(1, Ordering::Relaxed);
                    true
                }
                Ok(Message::Event(event, source)) => {
                    self.take_event(&event, source);
                    true
                }
                Ok(Message::Pair(events, source)) => {
                    events.iter().for_each(|event| self.take_event(event, source));
                    true
                }
                Err(RecvTimeoutError::Timeout) if oldest.is_none() && self.untidy => {
                    (self.host.trim)();
                    self.untidy = false;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => false,
                Ok(Message::Ask(what, answer)) => {
                    asked = Some((what, answer));
                    false
                }
                Ok(Message::Stop(last)) => return self.end(&last),
                Err(RecvTimeoutError::Disconnected) => return self.end(&[]),
            };
            if gathers {
                let oldest = oldest.get_or_insert_with(Instant::now);
                if self.composer.len() < BLOCK && oldest.elapsed() < LATEST {
                    continue;
                }
            }
            self.tell();
            self.flush();
            if self.rotation_is_due() {
                // It has been said why not, and the log goes on where it is.
                let _ = self.rotate();
            } else if self.keyframe_is_due() {
                self.repeat();
            }
            if let Some((what, answer)) = asked {
                // Whoever asked may have gone.
                let _ = answer.send(self.answer(what));
            }
            oldest = (!self.backlog.is_empty()).then(Instant::now);
        }
    }

    fn take(&mut self, record: &Record) {
        self.untidy |= matches!(record, Record::NewVersion { .. } | Record::Unloaded { .. });
        self.composer.push(record);
    }

    fn take_sum(&mut self, sum: &Record) {
        if let Record::Tally { count, .. } = sum {
            self.gathered.counted += count;
        }
        self.take(sum);
    }

    fn take_event(&mut self, event: &Record, source: SourceId) {
        if self.backlog.is_empty() {
            self.composer.push(event);
            self.gathered.events[source.index()] += 1;
        } else {
            let mut one = Load::default();
            one.events[source.index()] = 1;
            self.status.discard(one);
        }
    }

    /// Writes the last records. No file is begun between them and `End`, so the last one has them.
    fn end(&mut self, last: &[Record]) {
        last.iter().for_each(|record| self.composer.push(record));
        // What was discarded since they were made.
        self.tell();
        self.composer.push(&Record::End);
        self.flush();
        self.status.discard(self.backlog.load());
        if !self.backlog.is_empty() {
            // It has no end, and only its first block can say that this is one.
            self.target.refuse(&self.counters.refused(true));
        }
    }

    /// Adds the counters that have changed to a block that is about to be written.
    fn tell(&mut self) {
        if !self.composer.is_empty() {
            self.composer.push(&self.counters.news());
        }
    }

    fn flush(&mut self) {
        let blocks = self.composer.finish();
        let last = blocks.len().saturating_sub(1);
        for (index, block) in blocks.into_iter().enumerate() {
            // Events are in the last one, if there are any.
            let load = if index == last { std::mem::take(&mut self.gathered) } else { Load::default() };
            self.keep(block, load);
        }
        self.write();
    }

    /// Puts a block with what it carries into the backlog, if there is room.
    fn keep(&mut self, block: Vec<u8>, load: Load) {
        if !self.backlog.add(block, load) {
            // The reader sees the gap in the block numbers and counts what was lost.
            self.status.discard(load);
            self.composer.forget_definitions();
            self.torn = true;
        }
    }

    /// Writes what is in the backlog, as far as the disk takes it.
    fn write(&mut self) {
        let (written, result) = self.backlog.write(&mut self.target, &self.status);
        self.since_keyframe += written;
        if let (Err(error), false) = (result, self.warned) {
            self.warned = true;
            (self.host.say)(format_args!(
                "cannot write {}: {error}; {}, until then events are dropped and only their contexts kept in memory for a while",
                self.status.path().display(),
                if self.target.is_regular() { "free some space" } else { "let somebody read it" }
            ));
        }
        let full = !self.backlog.is_empty();
        self.status.full.store(full, Ordering::Relaxed);
        if full {
            self.status.refused.store(true, Ordering::Relaxed);
            self.target.refuse(&self.counters.refused(false));
        }
    }

    fn keyframe_is_due(&self) -> bool {
        let far = |bytes: u64| self.since_keyframe >= bytes.max(KEYFRAME_SHARE * self.composer.definitions_len());
        self.backlog.is_empty() && (self.torn || self.limits.keyframe.is_some_and(far))
    }

    /// Writes all definitions once more.
    fn repeat(&mut self) {
        self.status.busy.store(true, Ordering::Relaxed);
        self.torn = false;
        // Whatever was gathered has been flushed before.
        for block in self.composer.keyframe() {
            self.keep(block, Load::default());
        }
        self.write();
        self.write_repeated();
        self.since_keyframe = 0;
        self.status.busy.store(false, Ordering::Relaxed);
    }

    /// Writes the definitions that are repeated, a block at a time: no more of them is in memory
    /// than the disk does not take.
    fn write_repeated(&mut self) {
        while let Some(block) = self.composer.repeated() {
            self.keep(block, Load::default());
            self.write();
        }
    }

    fn answer(&mut self, asked: WriterRequest) -> Result<(), String> {
        if asked == WriterRequest::Rotate {
            self.rotate()?;
        }
        if !self.backlog.is_empty() {
            return Err("the disk takes no more; what is recorded is kept in memory for a while".into());
        }
        self.target.sync().map_err(|error| format!("cannot sync the log: {error}"))
    }
}
