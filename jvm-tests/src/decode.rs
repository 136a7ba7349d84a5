//! What `lucce-decode` says of a log.
//!
//! Invariant: only its published output is read (`--stats --format json` and
//! `--events --format json`), never the log itself.

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::place;
use crate::shell::said;

/// A log, and how the decoder reads it.
pub struct DecodedLog<'a> {
    log: &'a Path,
}

/// The log to be read by `lucce-decode`.
pub fn decode(log: &Path) -> DecodedLog<'_> {
    DecodedLog { log }
}

/// Is it a class of the JDK's, as traces name it, or a frame in one?
pub fn is_of_jdk(class: &str) -> bool {
    ["java.", "jdk.", "sun."].iter().any(|prefix| class.starts_with(prefix))
}

impl DecodedLog<'_> {
    /// The decoder's exit status and output for these arguments.
    ///
    /// # Panics
    /// When the decoder cannot be run or was killed.
    pub fn view(&self, arguments: &[&str]) -> (i32, String, String) {
        said(Command::new(&place().decode).arg(self.log).args(arguments))
    }

    /// Likewise for a command of the decoder that stands before the log.
    ///
    /// # Panics
    /// As above.
    pub fn view_of(&self, command: &str, arguments: &[&str]) -> (i32, String, String) {
        said(Command::new(&place().decode).arg(command).arg(self.log).args(arguments))
    }

    /// What `lucce-decode diff` says of a later log, beside this one.
    ///
    /// # Panics
    /// As above.
    pub fn diff(&self, later: &Path, arguments: &[&str]) -> (i32, String, String) {
        said(Command::new(&place().decode).arg("diff").arg(self.log).arg(later).args(arguments))
    }

    /// Makes a map of what the run has learned (`encoder=icpp`); what the search says.
    ///
    /// # Panics
    /// As above, and when there is nothing to learn from.
    pub fn train(&self, map: &Path, arguments: &[&str]) -> Value {
        let mut command = Command::new(&place().decode);
        command.args(["icpp", "train"]).arg(self.log).arg("-o").arg(map).args(["--format", "json"]);
        object(said(command.args(arguments)))
    }

    /// What such a map says of the words of this log.
    ///
    /// # Panics
    /// As above, and when it is not for this log.
    pub fn by_map(&self, map: &Path) -> Value {
        object(said(Command::new(&place().decode).arg(self.log).args(["--format", "json", "--map"]).arg(map)))
    }

    /// The figures of the log.
    ///
    /// # Panics
    /// When it is no log.
    pub fn counters(&self) -> Counters {
        let (status, out, err) = self.view(&["--stats", "--format", "json"]);
        assert!(matches!(status, 0 | 3), "the decoder refuses {}: {err}", self.log.display());
        Counters { value: serde_json::from_str(&out).expect("the decoder prints JSON"), complaint: err }
    }

    /// Each event as a JSON object.
    ///
    /// # Panics
    /// When a line is none.
    pub fn events(&self) -> Vec<Value> {
        let (_, out, _) = self.view(&["--events", "--format", "json"]);
        out.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect()
    }
}

fn object((status, out, err): (i32, String, String)) -> Value {
    assert_eq!(status, 0, "{err}");
    serde_json::from_str(&out).expect("the decoder prints JSON")
}

/// The figures that `--stats` prints.
pub struct Counters {
    value: Value,
    /// What the decoder wrote to its standard error: nothing for a complete log.
    pub complaint: String,
}

impl Counters {
    /// A figure of the log, such as `edges` or `bytes`; 0 when absent.
    pub fn figure(&self, name: &str) -> u64 {
        self.value[name].as_u64().unwrap_or(0)
    }

    /// A counter of the agent; 0 when absent.
    pub fn counter(&self, name: &str) -> u64 {
        self.value["counters"][name].as_u64().unwrap_or(0)
    }

    /// Events of a kind that the log has, those that it has as sums among them.
    pub fn kind(&self, name: &str) -> u64 {
        self.value["kinds"][name]["events"].as_u64().unwrap_or(0)
    }

    /// Classes and methods that were left as they were for this reason.
    pub fn skipped(&self, reason: &str) -> u64 {
        let skips = &self.value["skips"][reason];
        skips["classes"].as_u64().unwrap_or(0) + skips["methods"].as_u64().unwrap_or(0)
    }

    /// When the run started, in nanoseconds since 1970.
    pub fn start(&self) -> u64 {
        self.value["header"]["start_unix_ns"].as_u64().unwrap_or(0)
    }

    /// Did the log end with its end record, and was no block damaged?
    pub fn complete(&self) -> bool {
        self.value["complete"].as_bool().unwrap_or(false)
    }

    /// Contexts compared with the JVM's walk.
    pub fn checks(&self) -> u64 {
        self.counter("verify.checks")
    }

    /// Distinct ones among them.
    pub fn distinct(&self) -> u64 {
        self.counter("verify.distinct")
    }

    /// Those that differed, by the agent's count and by the log's records.
    pub fn mismatches(&self) -> u64 {
        let records = self.value["mismatches"].as_array().map_or(0, Vec::len);
        self.counter("verify.mismatches").max(records as u64)
    }

    /// Contexts that could not be kept.
    pub fn lost(&self) -> u64 {
        self.counter("verify.lost").max(self.counter("contexts.lost"))
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "counters: {}", self.value["counters"])?;
        for text in self.value["mismatches"].as_array().into_iter().flatten().take(2) {
            writeln!(out, "{}", text.as_str().unwrap_or_default())?;
        }
        out.write_str(&self.complaint)
    }
}
