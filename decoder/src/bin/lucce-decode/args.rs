//! The command line.
//!
//! Invariant: one view at a time; `--kind` and `--format` go with every view of events.
//! Source: README, "lucce-decode".

use std::path::PathBuf;

use clap::{ArgGroup, Parser, ValueEnum};

/// Turns a Lucce log back into exact stack traces. Without a view: one screen with the top 10 contexts.
#[derive(Debug, Parser)]
#[command(name = "lucce-decode", group = ArgGroup::new("view").args(["events", "stats", "context", "graph"]))]
#[command(
    after_help = "lucce-decode ctl PID|SOCKET COMMAND controls a running agent; lucce-decode ctl --help lists the commands.\nlucce-decode leaks LOG prints what the leak detector has found; lucce-decode leaks --help says more.\nlucce-decode doctor LOG says what is wrong with a run and what to change; doctor --java JAVA whether Lucce works in that JVM.\n\nExit status: 0 complete log, 1 no such kind, context or version, 2 not a Lucce log, 3 damaged or cut log."
)]
pub struct Args {
    /// The log
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// Each event with its trace as it comes, until the log ends; goes on in the next file of a log that is rotated
    #[arg(long, conflicts_with_all = ["view", "top"])]
    pub follow: bool,
    /// Each event with its trace
    #[arg(long)]
    pub events: bool,
    /// text, json (one object a line) or collapsed (for flame graphs)
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
    /// Only events of this kind (alloc, or the program's own)
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// The N contexts with the largest sums, with their full traces
    #[arg(long, value_name = "N", conflicts_with = "view")]
    pub top: Option<usize>,
    /// Classes, methods, edges, versions, skips by reason, drops, checks
    #[arg(long)]
    pub stats: bool,
    /// One context (c12, as printed) with all its events, or a captured number (n7, as Lucce.capture() gives it)
    #[arg(long, value_name = "ID")]
    pub context: Option<String>,
    /// The call graph, with numbers and addition values
    #[arg(long)]
    pub graph: bool,
    /// The version of the graph; the last one by default
    #[arg(long, value_name = "V", requires = "graph")]
    pub version: Option<u32>,
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

impl Args {
    /// Text unless told otherwise.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(Format::Text)
    }
}
