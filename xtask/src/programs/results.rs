//! What runs came to: kept in a file from call to call, and added up in one table.
//!
//! Invariant: the file always holds whole lines, one JSON object a run; a run that was exact is not
//! made again while its line is there, any other one is, and takes its place.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::Outcome;
use crate::Result;

/// What the oracle has counted, of one run or of several.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Sums {
    /// Contexts that were compared with the JVM's own stack.
    pub checks: u64,
    /// How many of them were different ones.
    pub contexts: u64,
    /// Words whose meaning was learned, with an encoder that learns.
    pub learned: u64,
    /// Checks in which the stack was another.
    pub mismatches: u64,
    /// Contexts that were lost, and events.
    pub lost: u64,
    /// Entries whose hashed word says nothing, so that what is asked there is walked.
    pub unknown: u64,
    /// Events of which the JVM has shown no stack: no encoder has their context.
    pub unseen: u64,
}

/// Why the JVM has shown none, in the decoder's words: samples of the CPU's time, and holders of
/// locks.
const UNSEEN: [&str; 4] = [
    "context lost: the JVM could not show the stack at that moment",
    "context lost: used since the thread's last sample",
    "context lost: the JVM named no holder",
    "context lost: the lock changed hands during the look",
];

impl Sums {
    /// By the statistics of a log.
    pub fn of(stats: &Value) -> Self {
        let counter = |name: &str| stats["counters"][name].as_u64().unwrap_or_default();
        let reasons = stats["reasons"].as_object().into_iter().flatten();
        let (unseen, lost): (Vec<_>, Vec<_>) = reasons.partition(|(reason, _)| UNSEEN.contains(&reason.as_str()));
        let sum = |events: Vec<(&String, &Value)>| events.iter().filter_map(|(_, events)| events.as_u64()).sum::<u64>();
        // Of these stacks the JVM has shown all.
        let kept = counter("cpu.unknown.kept");
        Self {
            checks: counter("verify.checks"),
            contexts: counter("verify.distinct"),
            learned: counter("pcc.learned").max(counter("icpp.learned")),
            mismatches: counter("verify.mismatches"),
            lost: counter("verify.lost") + counter("contexts.lost") + kept + sum(lost),
            unknown: counter("verify.unknown"),
            unseen: sum(unseen).saturating_sub(kept),
        }
    }

    /// Those of one more run.
    fn add(&mut self, other: &Self) {
        self.checks += other.checks;
        self.contexts += other.contexts;
        self.learned += other.learned;
        self.mismatches += other.mismatches;
        self.lost += other.lost;
        self.unknown += other.unknown;
        self.unseen += other.unseen;
    }
}

impl Display for Sums {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { checks, contexts, mismatches, lost, unknown, .. } = self;
        write!(f, "{checks} checks of {contexts} contexts, {mismatches} mismatches, {lost} lost, {unknown} unknown")
    }
}

/// A run under the agent.
#[derive(Serialize, Deserialize)]
struct RunLine {
    program: String,
    jdk: u32,
    outcome: Outcome,
}

/// The runs of this call, and of earlier ones that the file has.
pub struct Results {
    file: Option<PathBuf>,
    lines: Vec<RunLine>,
}

impl Results {
    /// With what the file has, if it is there.
    ///
    /// # Errors
    /// One line for a file of something else.
    pub fn read(file: Option<PathBuf>) -> Result<Self> {
        let text = file.as_ref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        let lines = text.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>();
        let other = |e| format!("{} has no results: {e}", file.as_deref().unwrap_or("".as_ref()).display());
        Ok(Self { lines: lines.map_err(other)?, file })
    }

    /// Was that run made, and exact?
    pub fn has(&self, program: &str, jdk: u32, options: &str) -> bool {
        self.lines.iter().any(|line| line.is(program, jdk, options) && line.outcome.is_exact())
    }

    /// One more run, in place of an earlier one of the same.
    ///
    /// # Errors
    /// One line: the file cannot be written.
    pub fn add(&mut self, program: &str, jdk: u32, outcome: Outcome) -> Result<()> {
        self.lines.retain(|line| !line.is(program, jdk, &outcome.options));
        self.lines.push(RunLine { program: program.into(), jdk, outcome });
        let Some(file) = &self.file else { return Ok(()) };
        let written = self.lines.iter().map(serde_json::to_string).collect::<serde_json::Result<Vec<String>>>();
        let new = file.with_extension("new");
        let io = |e: &dyn Display| format!("cannot write {}: {e}", file.display());
        let text = written.map_err(|e| io(&e))?.join("\n") + "\n";
        // A run that is cut short leaves the old file or the new one.
        fs::write(&new, text).and_then(|()| fs::rename(&new, file)).map_err(|e| io(&e))
    }

    /// The runs of a program on one JVM.
    pub fn of(&self, program: &str, jdk: u32) -> Vec<&Outcome> {
        self.lines.iter().filter(|line| line.program == program && line.jdk == jdk).map(|line| &line.outcome).collect()
    }

    /// The runs that were not exact.
    pub fn findings(&self) -> usize {
        self.lines.iter().filter(|line| !line.outcome.is_exact()).count()
    }
}

impl RunLine {
    fn is(&self, program: &str, jdk: u32, options: &str) -> bool {
        self.program == program && self.jdk == jdk && self.outcome.options == options
    }

    /// The options without the interval of the checks, in which programs differ.
    fn options(&self) -> String {
        let options = self.outcome.options.split(',').filter(|option| !option.starts_with("verify="));
        options.collect::<Vec<_>>().join(",")
    }
}

impl Display for Results {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| options | JDK | runs | checks | contexts | words learned | mismatches | lost | unknown | without a stack |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        let mut rows: BTreeMap<(String, String), (usize, Sums)> = BTreeMap::new();
        for line in &self.lines {
            let row = (format!("`{}`", line.options()), line.jdk.to_string());
            for key in [row, ("~all".into(), String::new())] {
                let (runs, sums) = rows.entry(key).or_default();
                *runs += 1;
                sums.add(&line.outcome.sums);
            }
        }
        rows.iter().try_for_each(|((options, jdk), (runs, sums))| {
            let Sums { checks, contexts, learned, mismatches, lost, unknown, unseen } = sums;
            let options = options.trim_start_matches('~');
            write!(f, "| {options} | {jdk} | {runs} | {checks} | {contexts} | {learned} ")?;
            writeln!(f, "| {mismatches} | {lost} | {unknown} | {unseen} |")
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// By the counters of a log, one of whose events is lost, and three were never seen.
    fn sums(names: &[(&str, u64)]) -> Sums {
        let counters: serde_json::Map<_, _> = names.iter().map(|&(name, n)| (name.into(), n.into())).collect();
        Sums::of(&json!({"reasons": {UNSEEN[0]: 2, UNSEEN[1]: 1, "unknown here: no context": 1}, "counters": counters}))
    }

    fn outcome(options: &str, sums: Sums) -> Outcome {
        Outcome { options: options.into(), sums, troubles: Vec::new(), seconds: (1.0, 2.0) }
    }

    #[test]
    fn what_is_lost_counts_whatever_the_encoder() {
        let mut all = sums(&[("verify.checks", 9), ("verify.distinct", 5), ("verify.unknown", 2)]);
        all.add(&sums(&[("verify.checks", 1), ("verify.lost", 10), ("contexts.lost", 100), ("cpu.unknown.kept", 2)]));
        assert_eq!(all.to_string(), "10 checks of 5 contexts, 0 mismatches, 114 lost, 2 unknown");
        assert_eq!(all.unseen, 4);
    }

    #[test]
    fn a_cut_command_goes_on_with_what_it_has_not_run() {
        let path = std::env::temp_dir().join(format!("xtask-results-{}.json", std::process::id()));
        let file = || Some(path.clone());
        let mut first = Results::read(file()).unwrap();
        let exact = Sums { checks: 7, learned: 3, ..Sums::default() };
        first.add("weka", 17, outcome("jdk=on,verify=10", exact.clone())).unwrap();
        first.add("weka", 21, outcome("jdk=on,verify=10", Sums { lost: 1, ..exact.clone() })).unwrap();

        let mut second = Results::read(file()).unwrap();
        assert!(second.has("weka", 17, "jdk=on,verify=10") && !second.has("weka", 17, "verify=10"));
        assert!(!second.has("weka", 21, "jdk=on,verify=10") && second.findings() == 1, "what was lost is run again");
        second.add("weka", 21, outcome("jdk=on,verify=10", exact.clone())).unwrap();
        second.add("rhino", 17, outcome("jdk=on,verify=200", exact)).unwrap();

        let rows = Results::read(file()).unwrap().to_string();
        fs::remove_file(&path).unwrap();
        let rows: Vec<&str> = rows.lines().skip(2).collect();
        let of = |jdk, runs, checks, learned| format!("| {jdk} | {runs} | {checks} | 0 | {learned} | 0 | 0 | 0 | 0 |");
        let expected = [
            format!("| `jdk=on` {}", of("17", 2, 14, 6)),
            format!("| `jdk=on` {}", of("21", 1, 7, 3)),
            format!("| all {}", of("", 3, 21, 9)),
        ];
        assert_eq!(rows, expected);
    }
}
