//! What a check finds, and what it looks at.
//!
//! Invariant: an id is stable and is the counter's name where one counter is behind it.

use std::path::Path;

use lucce_decoder::{Log, Stats};
use serde::Serialize;

use crate::state::State;
use crate::text;

/// Does it ask for something?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Events, contexts or time are lost, and something can be done.
    Change,
    /// Good to know; nothing is wrong.
    Note,
}

impl Level {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Note => "note",
        }
    }
}

/// One line of the report.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// Its stable name.
    pub id: String,
    /// How much it matters.
    pub level: Level,
    /// The figure behind it.
    pub count: u64,
    /// What, and how much of it.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// What to do.
    pub remedy: String,
}

impl Finding {
    /// One that asks for a change.
    pub fn change(id: &str, count: u64, what: String, why: &str, remedy: &str) -> Self {
        Self { id: id.into(), level: Level::Change, count, what, why: why.into(), remedy: remedy.into() }
    }

    /// One that is good to know.
    pub fn note(id: &str, count: u64, what: String, why: &str, remedy: &str) -> Self {
        Self { level: Level::Note, ..Self::change(id, count, what, why, remedy) }
    }
}

/// The options that ask for events.
const SOURCES: [&str; 8] = ["alloc", "leaks", "exceptions", "locks", "cpu", "entries", "profile", "contexts"];

/// What a defect needs; said wherever Lucce itself is at fault.
pub const REPORT: &str = "a defect of Lucce, please report it with this log and both versions";

/// A log that is looked at.
pub struct Case<'a> {
    /// The log.
    pub log: &'a Log,
    /// How it stands.
    pub state: State,
    /// Where it is.
    pub path: Option<&'a Path>,
    /// Its figures.
    pub stats: Stats,
    /// Made by `--java`: its options are not the user's.
    pub trial: bool,
}

impl Case<'_> {
    /// A counter; 0 where the log has none of that name.
    pub fn counter(&self, name: &str) -> u64 {
        self.stats.counters.get(name).copied().unwrap_or(0)
    }

    /// The value of an option; empty for one without, `None` for one that is off.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.log.option(name)
    }

    /// Are walks what is meant: below methods that sleep, and where no class is rewritten?
    pub fn means_walks(&self) -> bool {
        self.counter("demand.sleepers") > 0 || self.is_without_hooks()
    }

    /// Is no class rewritten? [`Self::option`] says the same of `off` and of what was left out.
    pub fn is_without_hooks(&self) -> bool {
        self.log.written_option("hooks") == Some("off")
    }

    /// Did the agent say something while the program ran that begins like this?
    pub fn says(&self, begin: &str) -> bool {
        self.log.notes().iter().any(|note| note.starts_with(begin))
    }

    /// Was the agent asked for events?
    pub fn has_source(&self) -> bool {
        SOURCES.iter().any(|name| self.option(name).is_some())
    }

    /// When the last event with a time happened.
    pub fn seconds(&self) -> Option<f64> {
        self.stats.counts.last_ns.map(|ns| ns as f64 / 1e9)
    }
}

/// `12 of 1 234 events (1.0 %)`.
pub fn share(part: u64, whole: u64, noun: &str) -> String {
    let percent = part as f64 * 100.0 / whole.max(1) as f64;
    format!("{} of {} ({percent:.1} %)", text::count(part), text::plural(whole, noun))
}
