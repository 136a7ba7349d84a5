//! The writer thread's side: records become blocks, blocks become files.
//!
//! Invariants: records are written in the order in which they were queued, definitions before events; a file begins with every definition of the run so far, and ends,
//! if another follows, with the name of that.
//! Source: DESIGN section 6; docs/FORMAT.md, "Files and keyframes".

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use lucce_log::{Composer, Header, Keep, Record, encode_header, events_in};

use super::files::Files;
use super::spool::Spool;
use super::target::Target;
use super::{Asked, Figures, Limits, Message, Status};
use crate::memory;

/// Longest time a record stays in memory.
const LATEST: Duration = Duration::from_millis(200);
/// After a new version, or after classes were unloaded, memory is given back when nothing was written for so long.
const QUIET: Duration = Duration::from_secs(1);
/// How long the writer lets records gather: a thread that queues while it sleeps need not wake it.
const GATHER: Duration = Duration::from_millis(4);
/// Bytes of a block's payload.
const BLOCK: usize = 128 << 10;
/// Bytes kept for a later try when the disk is full.
const BACKLOG: usize = 64 << 20;
/// How long it takes until a file that could not be begun is tried again.
const RETRY: Duration = Duration::from_secs(60);
/// A keyframe is due behind so many times its own size.
const KEYFRAME_SHARE: u64 = 4;

/// What the writer thread owns.
pub(super) struct Output {
    target: Target,
    files: Files,
    header: Header,
    limits: Limits,
    status: Arc<Status>,
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
    /// Finished blocks that the disk has not taken yet. While there are any, events are not kept: only the graph is.
    backlog: Vec<Vec<u8>>,
    warned: bool,
    /// The encoder has let go of much since memory was given back.
    untidy: bool,
    /// Since when the next file cannot be begun.
    stuck: Option<Instant>,
    figures: Figures,
    /// The figures that this file has.
    told: Vec<(&'static str, u64)>,
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
        figures: Figures,
    ) -> io::Result<Self> {
        let bytes = encode_header(&Header { part: files.number(), ..header.clone() });
        let target = Target::begin(file, &bytes, &status)?;
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
        Ok(Self {
            opening: target.len(),
            target,
            files,
            header,
            limits,
            status,
            composer: Composer::keeping(keep),
            alone,
            opened: Instant::now(),
            since_keyframe: 0,
            torn: false,
            backlog: Vec::new(),
            warned: false,
            untidy: false,
            stuck: None,
            figures,
            told: Vec::new(),
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
            match message {
                Ok(Message::Records(batch)) => {
                    oldest.get_or_insert_with(Instant::now);
                    batch.iter().for_each(|record| self.take(record));
                    if self.composer.len() < BLOCK && oldest.is_some_and(|oldest| oldest.elapsed() < LATEST) {
                        continue;
                    }
                }
                Err(RecvTimeoutError::Timeout) if oldest.is_none() && self.untidy => {
                    memory::trim();
                    self.untidy = false;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Ask(what, answer)) => asked = Some((what, answer)),
                Ok(Message::Stop(last)) => return self.end(&last),
                Err(RecvTimeoutError::Disconnected) => return self.end(&[]),
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
        match record {
            Record::Event { .. } if !self.backlog.is_empty() => self.status.discard(1),
            _ => self.composer.push(record),
        }
    }

    /// Writes the last records. No file is begun between them and `End`, so the last one has them.
    fn end(&mut self, last: &[Record]) {
        last.iter().for_each(|record| self.composer.push(record));
        // What was discarded since they were made.
        self.tell();
        self.composer.push(&Record::End);
        self.flush();
        self.backlog.iter().for_each(|block| self.status.discard(events_in(block)));
    }

    /// Adds the figures that have changed to a block that is about to be written.
    fn tell(&mut self) {
        if self.composer.is_empty() {
            return;
        }
        let figures = (self.figures)();
        let known = |index: usize| self.told.get(index).map_or(0, |&(_, value)| value);
        let changed = figures.iter().enumerate().filter(|&(index, &(_, value))| value != known(index));
        let values = changed.map(|(_, &(name, value))| (name.to_string(), value)).collect();
        self.composer.push(&Record::Counters { values });
        self.told = figures;
    }

    fn flush(&mut self) {
        for block in self.composer.finish() {
            self.keep(block);
        }
        self.write();
    }

    /// Puts a block into the backlog, if there is room.
    fn keep(&mut self, block: Vec<u8>) {
        let kept: usize = self.backlog.iter().map(Vec::len).sum();
        if kept + block.len() > BACKLOG {
            // The reader sees the gap in the block numbers and counts what was lost.
            self.status.discard(events_in(&block));
            self.composer.forget_definitions();
            self.torn = true;
        } else {
            self.backlog.push(block);
        }
    }

    /// Writes what is in the backlog, as far as the disk takes it.
    fn write(&mut self) {
        let mut written = 0;
        for block in &self.backlog {
            if let Err(error) = self.target.add(block, &self.status) {
                if !self.warned {
                    self.warned = true;
                    eprintln!(
                        "lucce: cannot write {}: {error}; {}, until then events are dropped and only their contexts kept in memory for a while",
                        self.status.path().display(),
                        if self.target.is_regular() { "free some space" } else { "let somebody read it" }
                    );
                }
                break;
            }
            self.since_keyframe += block.len() as u64;
            written += 1;
        }
        self.backlog.drain(..written);
        self.status.full.store(!self.backlog.is_empty(), Ordering::Relaxed);
    }

    fn keyframe_is_due(&self) -> bool {
        let far = |bytes: u64| self.since_keyframe >= bytes.max(KEYFRAME_SHARE * self.composer.definitions_len());
        self.backlog.is_empty() && (self.torn || self.limits.keyframe.is_some_and(far))
    }

    /// Writes all definitions once more.
    fn repeat(&mut self) {
        self.status.busy.store(true, Ordering::Relaxed);
        self.torn = false;
        for block in self.composer.keyframe() {
            self.keep(block);
        }
        self.write();
        self.write_repeated();
        self.since_keyframe = 0;
        self.status.busy.store(false, Ordering::Relaxed);
    }

    /// Writes the definitions that are repeated, a block at a time: no more of them is in memory than the disk does not take.
    fn write_repeated(&mut self) {
        while let Some(block) = self.composer.repeated() {
            self.keep(block);
            self.write();
        }
    }

    fn rotation_is_due(&self) -> bool {
        // What a file begins with counts, but leaves room for something else.
        let full = |limit: u64| self.target.len() >= limit && self.target.len() - self.opening >= limit / 2;
        let old = |age: Duration| self.opened.elapsed() >= age && self.target.len() > self.opening;
        let due = self.limits.bytes.is_some_and(full) || self.limits.every.is_some_and(old);
        due && self.stuck.is_none_or(|since| since.elapsed() >= RETRY)
    }

    /// Goes on in the next file. Where that cannot be, everything stays as it is.
    fn rotate(&mut self) -> Result<(), String> {
        if let Some(why) = self.alone {
            return Err(format!("the log cannot go on in another file: {why}"));
        }
        if !self.backlog.is_empty() {
            return Err("the disk takes no more".into());
        }
        self.status.busy.store(true, Ordering::Relaxed);
        let result = self.next_file();
        self.status.busy.store(false, Ordering::Relaxed);
        if let (Err(line), None) = (&result, self.stuck) {
            eprintln!("lucce: {line}; the log goes on in {}", self.status.path().display());
        }
        self.stuck = result.is_err().then(Instant::now);
        result
    }

    fn next_file(&mut self) -> Result<(), String> {
        let (file, path) = self.files.next().map_err(|refused| refused.line)?;
        let header = encode_header(&Header { part: self.files.number(), ..self.header.clone() });
        let next = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.composer.push(&Record::Rotated { next });
        let last = self.composer.finish().concat();
        let begun = Target::begin(file, &header, &self.status);
        match begun.and_then(|next| self.target.add(&last, &self.status).map(|()| next)) {
            Ok(next) => self.target = next,
            Err(error) => {
                self.files.undo();
                self.composer.take_back();
                return Err(format!("cannot begin the log {}: {error}", path.display()));
            }
        }
        self.torn = false;
        self.composer.next_file();
        self.write_repeated();
        (self.opening, self.opened) = (self.target.len(), Instant::now());
        self.since_keyframe = 0;
        self.told.clear();
        self.status.set_path(path);
        if let Some(oldest) = self.files.drop_oldest() {
            self.status.dropped(&oldest);
        }
        Ok(())
    }

    fn answer(&mut self, asked: Asked) -> Result<(), String> {
        if asked == Asked::Rotate {
            self.rotate()?;
        }
        if !self.backlog.is_empty() {
            return Err("the disk takes no more; what is recorded is kept in memory for a while".into());
        }
        self.target.sync().map_err(|error| format!("cannot sync the log: {error}"))
    }
}
