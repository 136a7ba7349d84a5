//! The figures of one JVM, of one tool, of one event: what a run's sections consist of.
//!
//! Invariant: what was measured, unrounded; a field that was added later reads as unknown in older
//! files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bench::section::Section;

/// One JVM.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Fork {
    /// The section it belongs to.
    pub section: Option<Section>,
    /// The program's name.
    pub program: String,
    /// The configuration's name.
    pub configuration: String,
    /// From 0.
    pub fork: usize,
    /// Milliseconds of each iteration.
    pub iterations: Vec<f64>,
    /// Seconds from the start of the JVM to its end; 0: unknown.
    #[serde(default)]
    pub life: f64,
    /// Milliseconds of CPU of the whole process in each, in steps of 10 on Linux.
    pub cpu: Vec<f64>,
    /// Of that, what the threads took that compile; empty: unknown.
    #[serde(default)]
    pub compiling: Vec<f64>,
    /// And those that collect garbage.
    #[serde(default)]
    pub collecting: Vec<f64>,
    /// Iterations before those that count, where it ran until it had settled; 0: the second half
    /// counts.
    #[serde(default)]
    pub before: usize,
    /// Of the program's output.
    pub digest: String,
    /// At the end, after a collection.
    pub memory: Memory,
    /// Length of the agent's log.
    pub log_bytes: u64,
    /// Of the first fork: what `lucce-decode --stats` says of the log, the agent's counters
    /// included.
    pub figures: BTreeMap<String, u64>,
}

impl Fork {
    /// Of one value for each iteration, those of the iterations that count: behind those in which
    /// it settled, or the second half (the greater half, if they are odd).
    pub fn counted<'v>(&self, values: &'v [f64]) -> &'v [f64] {
        let before = if self.before > 0 { self.before } else { values.len() / 2 };
        values.get(before..).unwrap_or_default()
    }

    /// The same as if it had ended after so many, before it settled; `usize::MAX`: it did not.
    pub fn counted_of_first<'v>(&self, most: usize, values: &'v [f64]) -> &'v [f64] {
        if most == usize::MAX {
            return self.counted(values);
        }
        let values = first(most, values);
        &values[values.len() / 2..]
    }

    /// A result for each of the programs that have taken turns in its iterations.
    pub fn in_turn(self, programs: &[String]) -> Vec<Self> {
        let each = |times: &[f64], first: usize| times.iter().skip(first).step_by(programs.len()).copied().collect();
        let of = |(first, program): (usize, &String)| Self {
            program: program.clone(),
            iterations: each(&self.iterations, first),
            cpu: each(&self.cpu, first),
            compiling: each(&self.compiling, first),
            collecting: each(&self.collecting, first),
            ..self.clone()
        };
        programs.iter().enumerate().map(of).collect()
    }
}

/// At most so many.
pub fn first(most: usize, values: &[f64]) -> &[f64] {
    &values[..most.min(values.len())]
}

/// What a process holds, in KiB; 0: unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The largest resident set.
    pub peak: u64,
    /// The resident set.
    pub resident: u64,
    /// What of it lies outside the Java heap.
    pub native: u64,
    /// Live objects.
    pub heap: u64,
}

/// One JVM that did not end well.
#[derive(Debug, Serialize, Deserialize)]
pub struct Failure {
    section: Section,
    program: String,
    configuration: String,
    fork: usize,
    reason: String,
}

/// How fast a tool rewrites.
#[derive(Debug, Serialize, Deserialize)]
pub struct Rewriting {
    /// `lucce`, `asm`.
    pub tool: String,
    /// Their number.
    pub classes: u64,
    /// Their size.
    pub bytes: u64,
    /// And afterwards.
    pub grown: u64,
    /// Classes given up.
    pub skipped: u64,
    /// Methods that got hooks, and the sites in them; 0 where they were not counted yet.
    #[serde(default)]
    pub methods: u64,
    /// See `methods`.
    #[serde(default)]
    pub sites: u64,
    /// Milliseconds of the first pass over all, of several processes.
    #[serde(default)]
    pub firsts: Vec<f64>,
    /// Processor time of the same passes, all threads of the process, in milliseconds; none in
    /// results of long ago.
    #[serde(default)]
    pub firsts_cpu: Vec<f64>,
    /// Milliseconds of each pass over all, warmed up.
    pub passes: Vec<f64>,
}

/// The cost of one event at one stack depth.
#[derive(Debug, Serialize, Deserialize)]
pub struct EventCost {
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
    pub fn new(section: Section, program: &str, configuration: &str, fork: usize, reason: String) -> Self {
        Self { section, program: program.into(), configuration: configuration.into(), fork, reason }
    }

    /// The section it belongs to.
    pub fn section(&self) -> Section {
        self.section
    }

    /// The program, or what runs several of them.
    pub fn program(&self) -> &String {
        &self.program
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { section, program, configuration, fork, reason } = self;
        write!(out, "{}: {program}, {configuration}, fork {fork}: {reason}", section.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_half_counts_or_what_is_behind_the_iterations_in_which_it_settled() {
        let values = [90.0, 80.0, 3.0, 1.0];
        let fork = |before| Fork { before, ..Fork::default() };
        assert_eq!(fork(0).counted(&values), [3.0, 1.0]);
        assert_eq!(fork(0).counted(&values[1..]), [3.0, 1.0]);
        assert_eq!(fork(3).counted(&values), [1.0]);
        assert!(fork(3).counted(&[]).is_empty() && fork(0).counted(&[]).is_empty());
    }
}
