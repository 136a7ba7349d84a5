//! `lucce-decode doctor LOG`: what is wrong with a run, in plain words, and what to change; with
//! `--java`, whether Lucce works in a JVM.
//!
//! Invariant: one finding a line, the things to change first; none is printed without a figure from
//! the log behind it.
//! Source: docs/guide/production.md.

mod code;
mod events;
mod finding;
mod java;
mod run;
mod speed;

use std::io::Write;
use std::path::PathBuf;

use clap::{ArgGroup, Parser};
use serde::Serialize;

use self::finding::{Case, Finding, Level};
pub use self::java::{Problem, Trial, attempt};
pub use self::run::{CAUSE_COLLECTION, FEWEST_COLLECTIONS};
use crate::args::ReportFormat;
use crate::failure::Failure;
use crate::logs::{ReplayedLog, Summed};
use crate::plain::plain;
use crate::{json, text};

/// Checks a log, or whether Lucce works in a JVM, and says what to change.
#[derive(Debug, Parser)]
#[command(group = ArgGroup::new("patient").args(["log", "java"]).required(true))]
#[command(
    after_help = "Exit status: 0 nothing to change, 1 something to change (or Lucce does not work in this JVM), 2 not a Lucce log or no JVM there, 3 damaged or cut log."
)]
pub struct DoctorArgs {
    /// The log
    #[arg(value_name = "LOG")]
    pub log: Option<PathBuf>,
    /// Starts this JVM (its java, or its home) for a moment with the agent; JAVA_TOOL_OPTIONS and
    /// the like are left out
    #[arg(long, value_name = "JAVA")]
    pub java: Option<PathBuf>,
    /// The agent; by default the one that this program came with for such a JVM
    #[arg(long, value_name = "PATH", requires = "java", conflicts_with = "log")]
    pub agent: Option<PathBuf>,
    /// text or json (one object)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    format: ReportFormat,
}

#[derive(Serialize)]
struct DoctorReport<'a> {
    log: Option<String>,
    agent: Option<&'a str>,
    jvm: Option<&'a str>,
    format: Option<u32>,
    encoder: Option<&'a str>,
    options: Option<&'a str>,
    complete: bool,
    events: u64,
    /// Until the last event with a time.
    seconds: Option<f64>,
    findings: &'a [Finding],
    java: Option<&'a Trial>,
    run: Option<String>,
    state: &'static str,
}

/// Prints the findings; those that ask for a change are a failure of their own. The log of a trial
/// has no name that stays.
pub fn show(all: &Summed, args: &DoctorArgs, trial: Option<&Trial>, out: &mut impl Write) -> Result<(), Failure> {
    let Some(ReplayedLog { log, state, .. }) = all.logs.first() else { return Ok(()) };
    let path = args.log.as_deref();
    let case = Case { log, state: *state, path, stats: all.stats(0), trial: trial.is_some() };
    let mut findings: Vec<Finding> = trial.into_iter().flat_map(Trial::findings).collect();
    findings.extend(run::check(&case));
    findings.extend(events::check(&case));
    findings.extend(code::check(&case));
    // A trial is all start-up, with every entry checked: its speed says nothing.
    if trial.is_none() {
        findings.extend(speed::check(&case));
    }
    // Stable: within a level the order of the checks.
    findings.sort_by_key(|finding| finding.level);
    match args.format {
        ReportFormat::Json => json::put(&report(&case, args, &findings, trial), out)?,
        ReportFormat::Text => print(&case, args, &findings, trial, out)?,
    }
    if findings.iter().any(|finding| finding.level == Level::Change) { Err(Failure::Findings) } else { Ok(()) }
}

fn report<'a>(
    case: &'a Case<'_>,
    args: &DoctorArgs,
    findings: &'a [Finding],
    java: Option<&'a Trial>,
) -> DoctorReport<'a> {
    let header = case.log.header();
    DoctorReport {
        log: args.log.as_ref().map(|path| path.display().to_string()),
        agent: header.map(|header| header.agent.as_str()),
        jvm: header.map(|header| header.jvm.as_str()),
        format: header.map(|header| header.format),
        encoder: header.map(|header| header.encoder.as_str()),
        options: header.map(|header| header.options.as_str()),
        complete: case.log.is_complete(),
        events: case.stats.counts.events,
        seconds: case.seconds(),
        findings,
        java,
        run: text::run(case.log),
        state: case.state.name(),
    }
}

fn print(
    case: &Case<'_>,
    args: &DoctorArgs,
    findings: &[Finding],
    trial: Option<&Trial>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    match (trial, &args.log) {
        (Some(trial), _) => trial.print(out)?,
        (None, Some(path)) => writeln!(out, "{}", plain(&path.display().to_string()))?,
        (None, None) => {}
    }
    if let Some(header) = case.log.header() {
        let (agent, jvm) = (plain(&header.agent), plain(&header.jvm));
        writeln!(out, "  {agent} on {jvm}, log format {}", header.format)?;
        if let Some(run) = text::run(case.log) {
            writeln!(out, "  run {run}")?;
        }
        let options = if header.options.is_empty() { "none".into() } else { plain(&header.options) };
        writeln!(out, "  encoder {}, options {options}", plain(&header.encoder))?;
    }
    let (classes, methods) = (text::plural(case.stats.classes, "class"), text::plural(case.stats.methods, "method"));
    let until = case.seconds().map_or_else(String::new, |seconds| format!(", the last after {seconds:.3} s"));
    writeln!(out, "  {classes}, {methods}, {}{until}", text::plural(case.stats.counts.events, "event"))?;
    for Finding { level, what, why, remedy, .. } in findings {
        writeln!(out, "{:6}  {}", level.name(), plain(&format!("{what}: {why}; {remedy}")))?;
    }
    let of = |wanted| findings.iter().filter(|finding| finding.level == wanted).count() as u64;
    match (of(Level::Change), of(Level::Note)) {
        (0, 0) => writeln!(out, "nothing to change"),
        (0, notes) => writeln!(out, "nothing to change, {} to know", text::plural(notes, "thing")),
        (changes, notes) => {
            writeln!(out, "{} to change, {} to know", text::plural(changes, "thing"), text::count(notes))
        }
    }
}
