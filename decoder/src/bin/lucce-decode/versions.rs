//! `versions`: what each numbering of the graph did, why, and what it cost.
//!
//! Invariant: one line a version, in order; what the log does not say of one is unknown, in JSON
//! null.
//! Source: docs/FORMAT.md, record Numbering; docs/design/words-and-numbering.md ("Numbering").

use std::io::Write;
use std::path::PathBuf;

use lucce_decoder::{Log, Numbering};
use serde::Serialize;

use crate::args::{Format, ReportFormat};
use crate::failure::Failure;
use crate::{json, text};

/// The versions of the call graph.
#[derive(clap::Args, Clone, Debug)]
pub struct VersionsArgs {
    /// The log
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// text or json (one object a version)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub format: ReportFormat,
}

/// Prints them.
pub fn show(log: &Log, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    if log.paper().is_some() {
        let why = "encoder=algorithm1 makes a version for each change of the graph: --graph --version V shows one";
        return Err(Failure::Question(why.into()));
    }
    match format {
        Format::Json => {
            for (version, known) in log.numberings() {
                json::put(&VersionLine::new(version.0, known), out)?;
            }
        }
        Format::Text | Format::Collapsed => table(log, out)?,
    }
    Ok(())
}

/// The keys of one version.
#[derive(Serialize)]
struct VersionLine {
    version: u32,
    time_ns: Option<u64>,
    cause: Option<&'static str>,
    nanos: Option<u64>,
    methods: Option<u64>,
    edges: Option<u64>,
    largest: Option<u64>,
    cut: Option<u64>,
}

impl VersionLine {
    fn new(version: u32, known: Option<&Numbering>) -> Self {
        Self {
            version,
            time_ns: known.map(|known| known.time_ns),
            cause: known.map(|known| known.cause.name()),
            nanos: known.map(|known| known.nanos),
            methods: known.map(|known| known.methods),
            edges: known.map(|known| known.edges),
            largest: known.map(|known| known.largest),
            cut: known.map(|known| known.cut),
        }
    }
}

fn table(log: &Log, out: &mut impl Write) -> Result<(), Failure> {
    let all: Vec<_> = log.numberings().collect();
    if all.is_empty() {
        writeln!(out, "no numbering: all contexts are of version 1, which began with the run")?;
        return Ok(());
    }
    let total: u64 = all.iter().filter_map(|(_, known)| Some(known.as_ref()?.nanos)).sum();
    let unknown = all.iter().filter(|(_, known)| known.is_none()).count() as u64;
    let unknown = if unknown > 0 { format!(", {} unknown", text::count(unknown)) } else { String::new() };
    let numberings = text::plural(all.len() as u64, "numbering");
    writeln!(out, "{numberings} in {}{unknown}\n", text::duration(total.into()))?;
    let head = ["version", "at", "cause", "took", "methods", "edges", "largest", "cut"].map(String::from);
    for cells in std::iter::once(head).chain(all.into_iter().map(|(version, known)| cells(version.0, known))) {
        let [version, at, cause, took, methods, edges, largest, cut] = cells;
        let line = format!(
            "{version:>7}  {at:>10}  {cause:<10}  {took:>9}  {methods:>9}  {edges:>9}  {largest:>15}  {cut:>9}"
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn cells(version: u32, known: Option<&Numbering>) -> [String; 8] {
    let Some(&Numbering { time_ns, cause, nanos, methods, edges, largest, cut }) = known else {
        let [at, took, methods, edges, largest, cut] = [const { String::new() }; 6];
        return [version.to_string(), at, "unknown".into(), took, methods, edges, largest, cut];
    };
    let [methods, edges, largest, cut] = [methods, edges, largest, cut].map(text::count);
    let at = format!("{:.3} s", time_ns as f64 / 1e9);
    [version.to_string(), at, cause.name().into(), text::duration(nanos.into()), methods, edges, largest, cut]
}
