//! What several commands take: logs, filters, and how things are printed.
//!
//! Invariant: an option means the same in every command that takes it.
//! Source: docs/guide/decoder.md, "Filters".

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lucce_decoder::{Filter, Group, Shape, time};

use crate::plain::plain;

/// Which events and contexts.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Filters")]
pub struct Choice {
    /// Only events of this kind: alloc, exception, monitor, park, cpu, entry, entered, leak and
    /// leak.*, or the program's own; where that has the name of one of these, program:NAME. Each
    /// filter may be given several times
    #[arg(long, value_name = "K")]
    pub kind: Vec<String>,
    /// Only events about classes that match this glob (* is any run of characters, ? is one)
    #[arg(long, value_name = "GLOB")]
    class: Vec<String>,
    /// Only events of threads whose name matches; counted sums have no thread
    #[arg(long, value_name = "GLOB")]
    thread: Vec<String>,
    /// Only contexts with a frame that matches: a class, or class.method
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Only contexts without such a frame
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Only contexts with such a frame, from the outermost one of these inwards
    #[arg(long, value_name = "GLOB")]
    focus: Vec<String>,
    /// Only events from this time after the start of the run (1.5, 250ms, 90s, 2m); counted sums
    /// are of the end of their window
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<u64>,
    /// Only events before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<u64>,
}

fn moment(text: &str) -> Result<u64, String> {
    time(text).ok_or_else(|| "write seconds, or 250ms, 90s, 2m, 1h".into())
}

impl Choice {
    /// As the library takes it.
    pub fn filter(&self) -> Filter {
        let Self { kind, class, thread, include, exclude, focus, from, to } = self.clone();
        Filter { kinds: kind, classes: class, threads: thread, include, exclude, focus, from_ns: from, to_ns: to }
    }

    /// Is something chosen?
    pub fn is_any(&self) -> bool {
        self.filter() != Filter::default()
    }

    /// As it was written, with a blank before each word.
    pub fn words(&self) -> String {
        let Self { kind, class, thread, include, exclude, focus, from, to } = self;
        let lists = [
            ("kind", kind),
            ("class", class),
            ("thread", thread),
            ("include", include),
            ("exclude", exclude),
            ("focus", focus),
        ];
        let lists =
            lists.into_iter().flat_map(|(name, list)| list.iter().map(move |text| (name, plain(text).into_owned())));
        let times =
            [("from", from), ("to", to)].into_iter().filter_map(|(name, ns)| Some((name, format!("{}ns", (*ns)?))));
        lists.chain(times).map(|(name, text)| format!(" --{name} {text}")).collect()
    }
}

/// How stacks are shown.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Stacks")]
pub struct Look {
    /// Puts the stacks that handed over a task or started a thread below its own
    #[arg(long)]
    pub origins: bool,
    /// Leaves out the numbers of a run in names: $$Lambda, $Proxy, accessors, CGLIB and the like
    #[arg(long)]
    pub norm: bool,
    /// Tells frames of one method apart by line, where that is not so anyway
    #[arg(long)]
    pub lines: bool,
}

impl Look {
    /// As the library takes it; `methods`: without --lines, frames are methods.
    pub fn shape(self, methods: bool) -> Shape {
        Shape { norm: self.norm, methods: methods && !self.lines }
    }
}

/// The logs of a command.
#[derive(Args, Clone, Debug)]
pub struct Logs {
    /// The log; - is the standard input. Several logs, or a pattern as 'app-*.log', are one
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,
}

/// What makes events one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// The innermost method.
    Method,
    /// The class of the events.
    Class,
    /// The thread.
    Thread,
    /// The outermost method.
    Root,
    /// The innermost method and line.
    Line,
}

impl From<By> for Group {
    fn from(by: By) -> Self {
        match by {
            By::Method => Self::Method,
            By::Class => Self::Class,
            By::Thread => Self::Thread,
            By::Root => Self::Root,
            By::Line => Self::Line,
        }
    }
}

/// How events are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Java-style traces.
    #[default]
    Text,
    /// One object a line.
    Json,
    /// `outermost;...;innermost value`.
    Collapsed,
}

/// How JSON names the stacks of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Stacks {
    /// Each event has its frames.
    #[default]
    Full,
    /// Frames, stacks, kinds, classes and threads are written once, and events have their numbers.
    Dictionary,
}

/// How a report is printed that is no list of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Lines.
    Text,
    /// One object, or one a line.
    Json,
}

impl From<ReportFormat> for Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Text => Self::Text,
            ReportFormat::Json => Self::Json,
        }
    }
}
