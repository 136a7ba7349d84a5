//! The command line: one file a command, and the options from before there were commands.
//!
//! Invariant: one view at a time; what a view would pass over is refused. A log with the name of a
//! command is read as ./events.
//! Source: docs/guide/decoder.md.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, ArgGroup, Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::args::{By, Choice, Format, Logs, Look, ReportFormat, Stacks};
use crate::failure::{fail, put};
use crate::{attach, compare, ctl, diff, doctor, hot, icpp, leaks, versions};

const MORE: &str = "\
lucce-decode LOG is lucce-decode show LOG. The options --events, --top N, --stats, --graph, --versions, --follow and
--format collapsed choose another view of it, as the commands do.

Memory: no command keeps events, only sums and what explains events. events, leaks and --context read the log more than once,
for which they hold what comes from the standard input.

Exit status:
  0  complete log, or one that is still being written
  1  no such kind, context or version; or the output cannot be written
  2  not a Lucce log, or not to be read; a wrong command line
  3  damaged or cut log, whatever else there is to say";

/// Turns Lucce logs back into exact stack traces.
#[derive(Debug, Parser)]
#[command(name = "lucce-decode", version, disable_version_flag = true, after_help = MORE)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do; without a command, show.
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub show: Show,
    /// Prints the version of lucce-decode, as --version alone does
    #[arg(short = 'V', action = ArgAction::Version)]
    own_version: Option<bool>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// One screen: what the log is, and where each kind of events comes from
    Show(Show),
    /// Each event with its trace
    Events(Events),
    /// The contexts with the largest sums of each kind, with their full traces; or methods,
    /// classes, threads
    Top(Top),
    /// The call tree of each kind, with sums
    Tree(Tree),
    /// Writes files for other tools: JFR, pprof, speedscope, OTLP, collapsed stacks
    #[cfg(feature = "export")]
    Export(crate::export::ExportArgs),
    /// Writes one HTML file to look at: graphs, tables, a timeline, leaks, and what changed since
    /// another run
    #[cfg(feature = "export")]
    Report(crate::report::ReportArgs),
    /// What changed from one run to another
    Diff(diff::DiffArgs),
    /// Which contexts a run with profile enters most, with what certainty
    Hot(hot::HotArgs),
    /// How far a profile is from the exact counts of the same work
    Compare(compare::CompareArgs),
    /// What the leak detector has found
    Leaks(leaks::LeaksArgs),
    /// Classes, methods, edges, versions, skips by reason, drops, checks
    Stats(Stats),
    /// The call graph, with numbers and addition values
    Graph(Graph),
    /// The versions of the call graph: why each numbering was made, what it cost and what it came
    /// to
    Versions(versions::VersionsArgs),
    /// Maps for encoder=icpp
    Icpp(icpp::IcppArgs),
    /// Brings the agent into a JVM that runs
    Attach(attach::AttachArgs),
    /// Controls a running agent
    Ctl(ctl::CtlArgs),
    /// What is wrong with a run and what to change; or whether Lucce works in a JVM
    Doctor(doctor::DoctorArgs),
    /// Each event as it comes, while the program runs
    Follow(Follow),
    /// What a shell completes
    Completions(Completions),
    /// The manual page of lucce-decode, or of a command
    Man(Man),
}

/// One screen, or with the options from before there were commands another view.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("view").args(["events", "stats", "context", "graph", "versions", "map"]))]
pub struct Show {
    #[command(flatten)]
    pub logs: Logs,
    /// Names what is folded: frames without hooks, more frames of each context
    #[arg(long)]
    pub verbose: bool,
    /// Each event with its trace as it comes, until the log ends; goes on in the next file of a log
    /// that is rotated. Where the JVM was killed it ends, and waits where that is unknown
    #[arg(long, conflicts_with_all = ["view", "top"])]
    pub follow: bool,
    /// Each event with its trace
    #[arg(long)]
    pub events: bool,
    /// text, json (one object a line) or collapsed (for flame graphs: sums, not with --events
    /// or --stats)
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<Format>,
    /// The N contexts of each kind with the largest sums, with their full traces
    #[arg(long, value_name = "N", conflicts_with = "view")]
    pub top: Option<usize>,
    /// Classes, methods, edges, versions, skips by reason, drops, checks
    #[arg(long)]
    pub stats: bool,
    /// One context (c12, as printed, or a fingerprint of 32 digits) with all its events, or a
    /// captured number (n7, as Lucce.capture() gives it)
    #[arg(long, value_name = "ID")]
    pub context: Option<String>,
    /// The call graph, with numbers and addition values
    #[arg(long)]
    pub graph: bool,
    /// The version of the graph; the last one by default
    #[arg(long, value_name = "V", requires = "graph")]
    pub version: Option<u32>,
    /// The versions of the call graph: why each numbering was made, what it cost and what it came
    /// to
    #[arg(long)]
    pub versions: bool,
    /// What this map says of the words of a run with encoder=icpp (lucce-decode icpp train)
    #[arg(long, value_name = "MAP")]
    pub map: Option<PathBuf>,
    #[command(flatten)]
    pub choice: Choice,
    #[command(flatten)]
    pub look: Look,
}

impl Show {
    /// Text unless told otherwise.
    pub fn format(&self) -> Format {
        self.format.unwrap_or_default()
    }

    /// What an option asks for that the view cannot give.
    pub fn conflict(&self) -> Option<String> {
        let whole = [
            (self.stats, "--stats"),
            (self.graph, "--graph"),
            (self.versions, "--versions"),
            (self.context.is_some(), "--context"),
            (self.map.is_some(), "--map"),
        ];
        if let (true, Some((_, view))) = (self.choice.is_any(), whole.into_iter().find(|(asked, _)| *asked)) {
            let word = self.choice.words();
            let word = word.split_whitespace().next().unwrap_or_default().to_owned();
            return Some(format!("{word} chooses among events, {view} does not"));
        }
        if self.logs.logs.len() > 1
            && (self.graph || self.versions || self.context.is_some() || self.map.is_some() || self.follow)
        {
            return Some("--graph, --versions, --context, --map and --follow take one log".into());
        }
        let views = [
            (self.graph, "--graph", "text"),
            (self.versions, "--versions", "text or json"),
            (self.map.is_some(), "--map", "text or json"),
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

/// Each event with its trace, in file order.
#[derive(Args, Clone, Debug)]
pub struct Events {
    #[command(flatten)]
    pub logs: Logs,
    /// text or json (one object a line)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub format: ReportFormat,
    /// full, or dictionary: in JSON frames, stacks, kinds, classes and threads are written once,
    /// and events have their numbers
    #[arg(long, value_name = "HOW", value_enum, default_value = "full")]
    pub stacks: Stacks,
    #[command(flatten)]
    pub choice: Choice,
}

/// The largest sums of each kind.
#[derive(Args, Clone, Debug)]
pub struct Top {
    #[command(flatten)]
    pub logs: Logs,
    /// So many of each kind
    #[arg(short = 'n', long = "top", value_name = "N", default_value = "10")]
    pub top: usize,
    /// text, json (one object a line) or collapsed
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub format: Format,
    /// Adds up events by this in place of contexts
    #[arg(long, value_name = "BY", value_enum)]
    pub group: Option<By>,
    /// At most N frames of a trace
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    #[command(flatten)]
    pub choice: Choice,
    #[command(flatten)]
    pub look: Look,
}

/// The call tree of each kind: outermost methods first, each with the sum of all below it.
#[derive(Args, Clone, Debug)]
pub struct Tree {
    #[command(flatten)]
    pub logs: Logs,
    /// Innermost methods first, each with its callers below it
    #[arg(long)]
    pub callers: bool,
    /// At most N levels
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Leaves out what has less than this share of its kind, in percent
    #[arg(long, value_name = "PERCENT", default_value = "1")]
    pub least: f64,
    #[command(flatten)]
    pub choice: Choice,
    #[command(flatten)]
    pub look: Look,
}

/// The figures of logs.
#[derive(Args, Clone, Debug)]
pub struct Stats {
    #[command(flatten)]
    pub logs: Logs,
    /// text or json (one object for each log)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub format: ReportFormat,
}

/// The call graph.
#[derive(Args, Clone, Debug)]
pub struct Graph {
    /// The log
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// The version of the graph; the last one by default
    #[arg(long, value_name = "V")]
    pub version: Option<u32>,
}

/// Each event with its trace as it comes, until the log ends; goes on in the next file of a log
/// that is rotated.
#[derive(Args, Clone, Debug)]
pub struct Follow {
    /// The log
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// text or json (one object a line)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub format: ReportFormat,
    #[command(flatten)]
    pub choice: Choice,
}

/// Prints what a shell completes.
#[derive(Args, Clone, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Prints a manual page: lucce-decode man | man -l -
#[derive(Args, Clone, Debug)]
pub struct Man {
    /// The command; lucce-decode itself by default
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl Completions {
    /// Prints them.
    pub fn print(&self) -> ExitCode {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "lucce-decode", &mut text);
        put(&text)
    }
}

impl Man {
    /// Prints it.
    pub fn print(&self) -> ExitCode {
        let mut all = Cli::command();
        all.build();
        let of = match &self.command {
            None => Some(&all),
            Some(name) => all.get_subcommands().find(|command| command.get_name() == name),
        };
        let Some(of) = of else {
            return fail(1, "no such command: lucce-decode help lists them");
        };
        let mut text = Vec::new();
        match clap_mangen::Man::new(of.clone()).render(&mut text) {
            Ok(()) => put(&text),
            Err(error) => fail(1, &format!("cannot write: {error}")),
        }
    }
}

/// Names of all commands.
pub fn names() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}
