//! What was measured, as it lies in `results-<jdk>.json`: every iteration of every fork, so that
//! any other statistic can be made of it.
//!
//! Invariant: a section is replaced as a whole, or, where programs are named, those programs of it
//! as a whole; what is replaced together is of one machine and one commit, and states them with the
//! command that measured it.

mod about;
mod measured;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::about::{About, How};
use self::measured::first;
pub use self::measured::{EventCost, Failure, Fork, Memory, Rewriting};

use super::fork::FLAGS;
use super::machine;
use super::options::Options;
use super::section::Section;
use super::statistics;
use crate::{Result, process};

/// What is known of one JDK.
#[derive(Debug, Serialize, Deserialize)]
pub struct Run {
    /// Feature release.
    pub jdk: u32,
    /// What the JVM calls itself.
    pub java: String,
    /// Flags of every JVM beside those of the configuration.
    pub flags: Vec<String>,
    /// By the paper's protocol, on the official jar?
    pub dacapo: bool,
    /// How each section was measured.
    pub sections: BTreeMap<Section, About>,
    /// Every fork that ended well.
    pub forks: Vec<Fork>,
    /// The others.
    pub failures: Vec<Failure>,
    /// Configurations that the agent, or the machine that was last to try, refuses, and why.
    pub unavailable: BTreeMap<String, String>,
    /// Calls of methods of the application in an iteration, by program; counted in a JVM of their
    /// own.
    pub calls: BTreeMap<String, u64>,
    /// Rewriting, by tool.
    pub rewriting: Vec<Rewriting>,
    /// The cost of one event.
    pub events: Vec<EventCost>,
}

/// Is it one of these programs, or are they all?
fn is_among(programs: &[String], program: &String) -> bool {
    programs.is_empty() || programs.contains(program)
}

/// The name of a JDK's results.
pub fn file_name(jdk: u32) -> String {
    format!("results-{jdk}.json")
}

/// The name of what there is of a section of a JDK's that is not whole.
pub fn unfinished_name(jdk: u32, section: Section) -> String {
    format!("unfinished-{jdk}-{}.json", section.name())
}

impl Run {
    /// What `file` holds, if it is of the same JVM; else nothing yet.
    ///
    /// # Errors
    /// One line when the JVM does not even state its version.
    pub fn open(options: &Options, jdk: u32, java: &Path, file: &Path) -> Result<Self> {
        let version = process::output(process::command(java).arg("--version"))?;
        let fresh = Self {
            jdk,
            java: version.lines().nth(1).unwrap_or_default().into(),
            flags: FLAGS.map(Into::into).into(),
            dacapo: options.dacapo.is_some(),
            sections: BTreeMap::new(),
            forks: Vec::new(),
            failures: Vec::new(),
            unavailable: BTreeMap::new(),
            calls: BTreeMap::new(),
            rewriting: Vec::new(),
            events: Vec::new(),
        };
        let known = Self::load(file).ok().filter(|known| known.is_comparable(&fresh));
        Ok(known.unwrap_or(fresh))
    }

    fn is_comparable(&self, other: &Self) -> bool {
        let of = |run: &Self| (run.java.clone(), run.flags.clone(), run.dacapo);
        of(self) == of(other)
    }

    /// Forgets what was measured of the section, or of these programs of it.
    fn forget(&mut self, section: Section, programs: &[String]) {
        self.forks.retain(|fork| fork.section != Some(section) || !is_among(programs, &fork.program));
        self.forget_failures(section, programs);
        match section {
            Section::Programs => self.calls.retain(|program, _| !is_among(programs, program)),
            Section::Rewriting => self.rewriting.clear(),
            Section::Events => self.events.clear(),
            Section::Encoders
            | Section::Sampled
            | Section::Settled
            | Section::Startup
            | Section::Threads
            | Section::Recursion
            | Section::Sources => {}
        }
    }

    fn forget_failures(&mut self, section: Section, programs: &[String]) {
        self.failures.retain(|failure| failure.section() != section || !is_among(programs, failure.program()));
    }

    /// States how the section was measured, or these programs of it where there are others.
    fn state(&mut self, section: Section, programs: &[String], how: How) {
        let is_other = |fork: &Fork| fork.section == Some(section) && !is_among(programs, &fork.program);
        let others = self.forks.iter().any(is_other);
        match self.sections.get_mut(&section) {
            Some(about) if others => about.again(programs, how),
            _ => {
                self.sections.insert(section, About { how, again: Vec::new() });
            }
        }
    }

    /// Forgets what was measured of the section, or of these programs of it, and states how it will
    /// be.
    pub fn begin(&mut self, section: Section, programs: &[String], arguments: &str) {
        self.forget(section, programs);
        self.state(section, programs, How::now(arguments));
    }

    /// Was what there is of the section, or of these programs of it, measured at this commit and on
    /// this machine, so that what is missing can be added? Then its failures are tried again, and
    /// the command is stated, too.
    pub fn resume(&mut self, section: Section, programs: &[String], arguments: &str) -> bool {
        let how = self.sections.get_mut(&section).and_then(|about| about.of(programs));
        let Some(how) = how.filter(|how| how.is_of_now()) else { return false };
        how.resumed.push(arguments.into());
        self.forget_failures(section, programs);
        true
    }

    /// Takes what an interrupted run at this commit, on this machine, has left of the section, or
    /// of these programs of it, in `unfinished`, if it has.
    pub fn adopt(&mut self, section: Section, programs: &[String], unfinished: &Path) {
        let left = Self::load(unfinished).ok().filter(|left| left.is_comparable(self));
        let Some(mut left) = left else { return };
        let how = left.sections.get_mut(&section).and_then(|about| about.of(programs));
        let Some(how) = how.filter(|how| how.is_of_now()).cloned() else { return };
        left.forks.retain(|fork| fork.section == Some(section) && is_among(programs, &fork.program));
        left.failures.retain(|failure| failure.section() == section && is_among(programs, failure.program()));
        left.calls.retain(|program, _| section == Section::Programs && is_among(programs, program));
        self.forget(section, programs);
        self.forks.append(&mut left.forks);
        self.failures.append(&mut left.failures);
        self.calls.append(&mut left.calls);
        self.state(section, programs, how);
    }

    /// Is there a fork of that number?
    pub fn has(&self, section: Section, program: &str, configuration: &str, fork: usize) -> bool {
        let is = |known: &Fork| (known.section, known.fork) == (Some(section), fork);
        self.forks.iter().any(|known| is(known) && known.program == program && known.configuration == configuration)
    }

    /// Adds to the time that these programs of the section have taken.
    pub fn took(&mut self, section: Section, programs: &[String], took: machine::Took) {
        if let Some(how) = self.sections.get_mut(&section).and_then(|about| about.of(programs)) {
            how.took(took);
        }
    }

    /// Adds a fork, if its output is that of the forks before it; gives its figure.
    ///
    /// # Errors
    /// One line when the output differs, or nothing was timed.
    pub fn accept(&mut self, fork: Fork) -> Result<f64> {
        let same = |other: &&Fork| other.program == fork.program && other.section == fork.section;
        if let Some(other) = self.forks.iter().filter(same).find(|other| other.digest != fork.digest) {
            return Err(format!("its output {} is not that of {}, {}", fork.digest, other.configuration, other.digest));
        }
        let figure = self.figure(&fork).ok_or("it timed too few iterations")?;
        self.forks.push(fork);
        Ok(figure)
    }

    /// The figure of a fork: the median of the iterations that count; with the official jar, the
    /// mean that the paper gives.
    pub fn figure(&self, fork: &Fork) -> Option<f64> {
        self.figure_of_first(fork, usize::MAX)
    }

    /// The same as if it had ended after so many iterations.
    pub fn figure_of_first(&self, fork: &Fork, most: usize) -> Option<f64> {
        if self.dacapo && fork.section == Some(Section::Programs) {
            statistics::mean_without_first(first(most, &fork.iterations))
        } else {
            statistics::median(fork.counted_of_first(most, &fork.iterations))
        }
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// One line naming the file.
    pub fn save(&self, file: &Path) -> Result<()> {
        let part = file.with_extension("json.part");
        let text = serde_json::to_string_pretty(self).map_err(|e| format!("results: {e}"))?;
        let written = fs::write(&part, text + "\n").and_then(|()| fs::rename(&part, file));
        written.map_err(|e| format!("cannot write {}: {e}", file.display()))
    }

    /// Reads what [`Run::save`] wrote.
    ///
    /// # Errors
    /// One line naming the file.
    pub fn load(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        serde_json::from_str(&text).map_err(|e| format!("{} is not a file of results: {e}", file.display()))
    }
}

#[cfg(test)]
impl Run {
    /// A run with nothing in it.
    pub fn empty() -> Self {
        let nothing = r#"{"jdk": 17, "java": "J", "flags": [], "dacapo": false, "sections": {}, "forks": [],
            "failures": [], "unavailable": {}, "calls": {}, "rewriting": [], "events": []}"#;
        serde_json::from_str(nothing).unwrap()
    }

    /// Accepts forks `(program, configuration, times)` as programs.
    pub fn with(mut self, forks: &[(&str, &str, &[f64])]) -> Self {
        for (program, configuration, iterations) in forks {
            let accepted = self.accept(Fork {
                section: Some(Section::Programs),
                program: (*program).into(),
                configuration: (*configuration).into(),
                iterations: iterations.to_vec(),
                cpu: iterations.to_vec(),
                digest: "d".into(),
                memory: Memory { peak: 3072, resident: 2048, native: 1024, heap: 512 },
                log_bytes: 10,
                ..Fork::default()
            });
            assert!(accepted.is_ok());
        }
        let (arguments, commit, machine) = ("--a".into(), "c".into(), "M".into());
        let how = How { arguments, resumed: Vec::new(), commit, machine, load: 0.0, minutes: 1.0, stolen: None };
        self.sections.insert(Section::Programs, About { how, again: Vec::new() });
        self
    }
}
