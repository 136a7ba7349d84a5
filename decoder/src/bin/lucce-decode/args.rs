//! The command line.
//!
//! Invariant: one view at a time; what a view would pass over is refused.
//! Source: docs/guide/decoder.md.

use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Parser, ValueEnum};

const MORE: &str = "\
lucce-decode ctl PID|SOCKET COMMAND controls a running agent; lucce-decode ctl --help lists the commands.
lucce-decode leaks LOG prints what the leak detector has found; lucce-decode leaks --help says more.
lucce-decode export LOG... -o FILE writes what other tools read; lucce-decode export --help lists the formats.
lucce-decode doctor LOG says what is wrong with a run and what to change; doctor --java JAVA whether Lucce works in that JVM.

Memory: the size of the log and less than 100 bytes for each event. --follow keeps no events, only what explains them.

Exit status:
  0  complete log, or one that is still being written
  1  no such kind, context or version; or the output cannot be written
  2  not a Lucce log, or not to be read; a wrong command line
  3  damaged or cut log, whatever else there is to say";

/// Turns a Lucce log back into exact stack traces. Without a view: one screen with the top 10 contexts.
#[derive(Debug, Parser)]
#[command(name = "lucce-decode", version, disable_version_flag = true, after_help = MORE)]
#[command(group = ArgGroup::new("view").args(["events", "stats", "context", "graph"]))]
pub struct Args {
    /// The log
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// Each event with its trace as it comes, until the log ends; goes on in the next file of a log that is rotated. Where the JVM was killed
    /// it ends, and waits where that is unknown
    #[arg(long, conflicts_with_all = ["view", "top"])]
    pub follow: bool,
    /// Each event with its trace
    #[arg(long)]
    pub events: bool,
    /// text, json (one object a line) or collapsed (for flame graphs: sums, not with --events or --stats)
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
    /// Only events of this kind: alloc, exception, monitor, park, cpu, entry, entered, leak and leak.*, or the program's own; where that has the
    /// name of one of these, program:NAME
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// The N contexts with the largest sums, with their full traces
    #[arg(long, value_name = "N", conflicts_with = "view")]
    pub top: Option<usize>,
    /// Classes, methods, edges, versions, skips by reason, drops, checks
    #[arg(long)]
    pub stats: bool,
    /// One context (c12, as printed, or a fingerprint of 32 digits) with all its events, or a captured number (n7, as Lucce.capture() gives it)
    #[arg(long, value_name = "ID")]
    pub context: Option<String>,
    /// The call graph, with numbers and addition values
    #[arg(long)]
    pub graph: bool,
    /// The version of the graph; the last one by default
    #[arg(long, value_name = "V", requires = "graph")]
    pub version: Option<u32>,
    /// Prints the version of lucce-decode, as --version alone does
    #[arg(short = 'V', action = ArgAction::Version)]
    own_version: Option<bool>,
}

/// How events are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Java-style traces.
    Text,
    /// One object a line.
    Json,
    /// `outermost;...;innermost value`.
    Collapsed,
}

/// How a report is printed that is no list of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Lines.
    Text,
    /// One object, or one a line.
    Json,
}

impl Args {
    /// Text unless told otherwise.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(Format::Text)
    }

    /// What an option asks for that the view cannot give.
    pub fn conflict(&self) -> Option<String> {
        let whole = [(self.stats, "--stats"), (self.graph, "--graph"), (self.context.is_some(), "--context")];
        if let (Some(_), Some((_, view))) = (&self.kind, whole.into_iter().find(|(asked, _)| *asked)) {
            return Some(format!("--kind chooses among events, {view} does not"));
        }
        let views = [
            (self.graph, "--graph", "text"),
            (self.stats, "--stats", "text or json"),
            (self.events, "--events", "text or json"),
            (self.follow, "--follow", "text or json"),
        ];
        let format = match self.format() {
            Format::Text => "text",
            Format::Json => "json",
            Format::Collapsed => "collapsed",
        };
        let (_, view, formats) = views.into_iter().find(|(asked, ..)| *asked)?;
        (!formats.contains(format)).then(|| format!("{view} prints {formats}"))
    }
}
