//! What was measured, as it lies in `results-<jdk>.json`: every iteration of every fork, so that any other statistic can be made of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::configurations::{self, BASE};
use super::fork::FLAGS;
use super::options::Options;
use super::statistics::{self, Range};
use crate::{Result, process};

/// A run on one JDK.
#[derive(Debug, Serialize, Deserialize)]
pub struct Run {
    /// The command's arguments.
    pub arguments: String,
    /// The commit that was measured, with a star if the checkout differed.
    pub commit: String,
    /// Feature release.
    pub jdk: u32,
    /// What the JVM calls itself.
    pub java: String,
    /// Flags of every JVM beside the agent.
    pub flags: Vec<String>,
    /// Model and number of processors.
    pub machine: String,
    /// Load of the machine before the run, averaged over a minute.
    pub load: f64,
    /// By the paper's protocol, on the official jar?
    pub dacapo: bool,
    /// In the order of tables and charts.
    pub programs: Vec<String>,
    /// Every fork that ended well.
    pub forks: Vec<Fork>,
    /// The others.
    pub failures: Vec<Failure>,
    /// The cost of one event.
    pub events: Vec<Event>,
}

/// One JVM.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fork {
    /// The program's name.
    pub program: String,
    /// The configuration's name.
    pub configuration: String,
    /// From 0.
    pub fork: usize,
    /// Milliseconds of each iteration.
    pub iterations: Vec<f64>,
    /// Of the program's output.
    pub digest: String,
    /// The largest resident set; 0 if unknown.
    pub memory_kib: u64,
    /// Length of the agent's log.
    pub log_bytes: u64,
}

/// One JVM that did not end well.
#[derive(Debug, Serialize, Deserialize)]
pub struct Failure {
    program: String,
    configuration: String,
    fork: usize,
    reason: String,
}

/// The cost of one event at one stack depth.
#[derive(Debug, Serialize, Deserialize)]
pub struct Event {
    /// What was done.
    pub name: String,
    /// Frames below it.
    pub depth: u32,
    /// Nanoseconds, the loop included.
    pub nanos: f64,
    /// Half of the confidence interval of 99.9 %, in nanoseconds.
    pub error: f64,
}

impl Failure {
    /// Of a fork.
    pub fn new(program: &str, configuration: &str, fork: usize, reason: String) -> Self {
        Self { program: program.into(), configuration: configuration.into(), fork, reason }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}, {}, fork {}: {}", self.program, self.configuration, self.fork, self.reason)
    }
}

/// The name of a JDK's results.
pub fn file_name(jdk: u32) -> String {
    format!("results-{jdk}.json")
}

impl Run {
    /// Nothing measured yet.
    ///
    /// # Errors
    /// One line when the JVM does not even state its version.
    pub fn new(options: &Options, jdk: u32, java: &Path) -> Result<Self> {
        let version = process::output(process::command(java).arg("--version"))?;
        Ok(Self {
            arguments: options.text.clone(),
            commit: commit(),
            jdk,
            java: version.lines().nth(1).unwrap_or_default().into(),
            flags: FLAGS.map(Into::into).into(),
            machine: machine(),
            load: load(),
            dacapo: options.dacapo.is_some(),
            programs: Vec::new(),
            forks: Vec::new(),
            failures: Vec::new(),
            events: Vec::new(),
        })
    }

    /// Adds a fork, if its output is that of the forks before it; gives its figure.
    ///
    /// # Errors
    /// One line when the output differs, or nothing was timed.
    pub fn accept(&mut self, fork: Fork) -> Result<f64> {
        if let Some(other) =
            self.forks.iter().find(|other| other.program == fork.program && other.digest != fork.digest)
        {
            return Err(format!("its output {} is not that of {}, {}", fork.digest, other.configuration, other.digest));
        }
        let figure = self.figure(&fork).ok_or("it timed too few iterations")?;
        if !self.programs.contains(&fork.program) {
            self.programs.push(fork.program.clone());
        }
        self.forks.push(fork);
        Ok(figure)
    }

    /// The figure of a fork: see [`statistics`].
    fn figure(&self, fork: &Fork) -> Option<f64> {
        if self.dacapo {
            statistics::mean_without_first(&fork.iterations)
        } else {
            statistics::steady(&fork.iterations)
        }
    }

    fn of<'r>(&'r self, program: &'r str, configuration: &'r str) -> impl Iterator<Item = &'r Fork> {
        self.forks.iter().filter(move |fork| fork.program == program && fork.configuration == configuration)
    }

    /// The configurations there are results of, in the order of the list.
    pub fn configurations(&self) -> Vec<&'static configurations::Configuration> {
        configurations::ALL.iter().filter(|c| self.forks.iter().any(|fork| fork.configuration == c.name)).collect()
    }

    /// Milliseconds of an iteration: median and range over the forks.
    pub fn time(&self, program: &str, configuration: &str) -> Option<Range> {
        Range::of(&self.of(program, configuration).filter_map(|fork| self.figure(fork)).collect::<Vec<_>>())
    }

    /// [`Run::time`] divided by the median without the agent.
    pub fn ratio(&self, program: &str, configuration: &str) -> Option<Range> {
        Some(self.time(program, configuration)?.over(self.time(program, BASE)?.middle))
    }

    /// Geometric mean of the median ratios of all programs that ran under both.
    pub fn mean_ratio(&self, configuration: &str) -> Option<f64> {
        let ratios = self.programs.iter().filter_map(|program| self.ratio(program, configuration));
        statistics::geometric_mean(&ratios.map(|ratio| ratio.middle).collect::<Vec<_>>())
    }

    /// Median of the largest resident sets, in KiB.
    pub fn memory(&self, program: &str, configuration: &str) -> Option<f64> {
        statistics::median(&self.of(program, configuration).map(|fork| fork.memory_kib as f64).collect::<Vec<_>>())
    }

    /// Median of the lengths of the log, in bytes.
    pub fn log(&self, program: &str, configuration: &str) -> Option<f64> {
        statistics::median(&self.of(program, configuration).map(|fork| fork.log_bytes as f64).collect::<Vec<_>>())
    }

    /// The number of forks of a program and configuration: least and greatest.
    pub fn fork_counts(&self) -> (usize, usize) {
        let mut counts = BTreeMap::new();
        for fork in &self.forks {
            *counts.entry((&fork.program, &fork.configuration)).or_insert(0) += 1;
        }
        (counts.values().min().copied().unwrap_or(0), counts.values().max().copied().unwrap_or(0))
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

fn commit() -> String {
    let git = |args: &[&str]| {
        process::command("git").args(args).output().map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let name = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_ok_and(|text| !text.is_empty());
    name + if changed { "*" } else { "" }
}

fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown processor", |rest| rest.trim_start_matches(|c: char| c.is_whitespace() || c == ':'));
    let count = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!("{model}, {count} processors")
}

fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
impl Run {
    /// A run with nothing in it.
    pub fn empty() -> Self {
        Self {
            arguments: String::new(),
            commit: "c".into(),
            jdk: 17,
            java: "J".into(),
            flags: Vec::new(),
            machine: "M".into(),
            load: 0.0,
            dacapo: false,
            programs: Vec::new(),
            forks: Vec::new(),
            failures: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Accepts forks `(program, configuration, times)`.
    pub fn with(mut self, forks: &[(&str, &str, &[f64])]) -> Self {
        for (program, configuration, iterations) in forks {
            let accepted = self.accept(Fork {
                program: (*program).into(),
                configuration: (*configuration).into(),
                fork: 0,
                iterations: iterations.to_vec(),
                digest: "d".into(),
                memory_kib: 1024,
                log_bytes: 10,
            });
            assert!(accepted.is_ok());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Run {
        Run::empty().with(&[
            ("h2", "none", &[50.0, 10.0]),
            ("h2", "lucce", &[90.0, 20.0]),
            ("h2", "lucce", &[90.0, 30.0]),
            ("xalan", "none", &[9.0, 4.0]),
            ("xalan", "lucce", &[9.0, 10.0]),
        ])
    }

    #[test]
    fn ratios_are_of_medians_and_keep_their_range() {
        let run = sample();
        assert_eq!(run.ratio("h2", "lucce"), Some(Range { low: 2.0, middle: 2.5, high: 3.0 }));
        assert!((run.mean_ratio("lucce").unwrap() - 2.5).abs() < 1e-12);
        assert_eq!(run.ratio("h2", "algorithm1"), None);
    }

    #[test]
    fn output_that_differs_is_refused() {
        let mut run = sample();
        let mut fork = run.forks[0].clone();
        fork.digest = "e".into();
        assert!(run.accept(fork).is_err());
        assert_eq!(run.forks.len(), 5);
    }

    #[test]
    fn results_are_read_back_as_they_were_written() {
        let file = std::env::temp_dir().join(format!("xtask-results-{}.json", std::process::id()));
        let run = sample();
        run.save(&file).unwrap();
        let again = Run::load(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(format!("{run:?}"), format!("{again:?}"));
    }
}
