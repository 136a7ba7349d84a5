//! A folder for logs, a host that keeps what is said, and a reader of what was written.
//!
//! Invariant: a log that is read has no damage. Each binary of tests has its own host.

#![allow(dead_code, reason = "each test uses its part")]

use std::fmt::Arguments;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use lucce_log::{FORMAT, Header, Reader, Record, Tables};
use lucce_log_writer::{Files, Host, Limits, Naming, SourceId, Writer};
use lucce_words::{NodeId, SiteId, Version, Word};

/// The one source of these events.
pub const SOURCE: SourceId = SourceId::new(0);
/// A file as long as it may be, and no keyframes.
pub const ENDLESS: Limits = Limits { bytes: None, every: None, keyframe: None };

static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn say(line: Arguments<'_>) {
    SAID.lock().unwrap().push(line.to_string());
}

/// The lines with this text that were said so far.
pub fn said(text: &str) -> usize {
    SAID.lock().unwrap().iter().filter(|line| line.contains(text)).count()
}

/// A folder that is there as long as this is.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lucce-log-writer-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A writer of `a.log` and those that follow it.
    pub fn writer(&self, limits: Limits, keep: u32) -> Writer {
        let pattern = self.0.join("a.log").display().to_string();
        let files = Files::new(Naming { pattern, pid: 1, time: 1, host: "box".into() }, keep);
        let header = Header { format: FORMAT, encoder: "lucce".into(), ..Header::default() };
        Writer::start(files, &self.0, header, limits, Host { say, figures: Vec::new, trim: || (), ended: || () })
            .unwrap()
    }

    /// The names of the files.
    pub fn files(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    pub fn read(&self, name: &str) -> Vec<Record> {
        read(&self.0.join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(log: &Path) -> Vec<Record> {
    let bytes = fs::read(log).unwrap();
    let mut tables = Tables::default();
    let mut records = Vec::new();
    for block in Reader::new(&bytes).unwrap() {
        records.extend(block.unwrap().records(&mut tables).map(Result::unwrap));
    }
    records
}

/// A definition.
pub fn note(number: usize) -> Record {
    Record::Note { text: number.to_string() }
}

/// An event whose number compresses badly.
pub fn event(number: usize) -> Record {
    Record::Event {
        time_ns: number as u64,
        thread: 1,
        kind: 1,
        value: number as i64,
        word: Word::new(Version(3), false, (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 12),
        site: SiteId(2),
        chain: NodeId(0),
        class: None,
        walked: [].into(),
        node: NodeId(0),
    }
}

/// The numbers of the definitions in a log, in order.
pub fn notes(records: &[Record]) -> Vec<usize> {
    let number = |record: &Record| match record {
        Record::Note { text } => text.parse().ok(),
        _ => None,
    };
    records.iter().filter_map(number).collect()
}

/// The numbers of the events in a log, in order.
pub fn events(records: &[Record]) -> Vec<usize> {
    let number = |record: &Record| match record {
        Record::Event { value, .. } => Some(*value as usize),
        _ => None,
    };
    records.iter().filter_map(number).collect()
}

/// Waits for a condition, for a minute at most.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "not {what} after a minute");
        sleep(Duration::from_millis(5));
    }
}
