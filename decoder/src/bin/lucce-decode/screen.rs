//! The default view: what the log is, its figures, the top 10 contexts, and the commands to see more.
//!
//! Invariant: at most 40 lines of 80 characters, but for a path or option string that is itself longer.
//! Source: issue-level contract of `lucce-decode LOG`.

use std::io::{self, Write};

use lucce_decoder::{Contexts, Event, Hottest, Log, Stats, Trace, hottest};

use crate::args::Args;
use crate::plain::plain;
use crate::state::State;
use crate::{text, top};

const WIDTH: usize = 80;
const HEIGHT: usize = 40;
/// Contexts shown.
const TOP: usize = 10;
/// Most lines of a trace.
const FRAMES: usize = 6;
const INDENT: &str = "      ";

/// Prints the screen.
pub fn show(
    log: &Log,
    state: State,
    chosen: impl Fn(&Event) -> bool,
    args: &Args,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut contexts = Contexts::new(log);
    let found = hottest(log, &mut contexts, chosen);
    let stats = Stats::new(log, &mut contexts);
    let mut lines = about(log, state, &stats, args);
    let commands = commands(&found, args);
    let room = HEIGHT.saturating_sub(lines.len() + commands.len() + 3);
    lines.push(String::new());
    lines.extend(contexts_lines(log, &contexts, &found, &stats, room));
    lines.push(String::new());
    lines.extend(commands);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// What the log is, and its figures.
fn about(log: &Log, state: State, stats: &Stats, args: &Args) -> Vec<String> {
    let state = match state {
        State::Cut => "without an end",
        State::Full => "without its end, the disk is full",
        State::Killed => "cut, its JVM was killed",
        other => other.name(),
    };
    let path = args.log.display().to_string();
    let mut lines = vec![format!("{}: Lucce log, {}, {state}", plain(&path), text::size(log.bytes()))];
    if let Some(header) = log.header() {
        let start = text::moment(header.start_unix_ns);
        let timed = log.events().iter().filter(|event| !event.is_tally());
        let last = timed.map(|event| event.time_ns).max();
        let last = last.map_or_else(String::new, |ns| format!(", last event after {}", text::seconds(ns)));
        lines.push(text::cut(&plain(&format!("  {} on {}", header.agent, header.jvm)), WIDTH));
        lines.extend(text::run(log).map(|run| format!("  run {run}")));
        lines.push(text::cut(&plain(&format!("  pid {} on {}, {start}{last}", header.pid, header.host)), WIDTH));
        lines.push(format!(
            "  options {}",
            if header.options.is_empty() { "none".into() } else { plain(&header.options) }
        ));
    }
    let (classes, methods) = (text::plural(stats.classes, "class"), text::plural(stats.methods, "method"));
    let (edges, versions) = (text::plural(stats.edges, "edge"), text::plural(stats.versions, "version"));
    let cut = text::count(stats.cut_edges);
    lines.push(format!("  {classes}, {methods}, {edges} ({cut} cut), {versions}"));
    let (events, distinct) = (text::plural(stats.events, "event"), text::plural(stats.contexts, "context"));
    let counter = |name: &str| stats.counters.get(name).copied().unwrap_or(0);
    let drops = counter("events.dropped").saturating_add(counter("tally.dropped"));
    let full = if log.refusal().is_some() { " (disk full)" } else { "" };
    let [lost, gone, drops] = [stats.lost_events, stats.undecodable_events, drops].map(text::count);
    lines.push(format!("  {events} in {distinct}; {lost} lost, {gone} undecodable, {drops} dropped{full}"));
    lines.push(format!("  {}", checks(stats)));
    lines
}

/// What the oracle says.
fn checks(stats: &Stats) -> String {
    let counter = |name: &str| stats.counters.get(name).copied().unwrap_or(0);
    if counter("verify.checks") == 0 {
        return "nothing was checked against the JVM's own stack walks (verify=n does)".into();
    }
    let (checks, distinct) =
        (text::plural(counter("verify.checks"), "check"), text::plural(counter("verify.distinct"), "context"));
    let (wrong, lost) = (text::plural(counter("verify.mismatches"), "mismatch"), text::count(counter("verify.lost")));
    format!("{checks} of {distinct} against the JVM's stack walks: {wrong}, {lost} lost")
}

/// The top contexts in at most `room` lines.
fn contexts_lines(log: &Log, contexts: &Contexts<'_>, found: &Hottest, stats: &Stats, room: usize) -> Vec<String> {
    if found.contexts.is_empty() {
        return vec![if stats.events == 0 {
            "No events. The agent's option alloc=512k samples allocations; Lucce.event(kind, value) adds your own."
                .into()
        } else {
            "No events of this kind.".into()
        }];
    }
    let shown = &found.contexts[..found.contexts.len().min(TOP)];
    let all = text::plural(found.contexts.len() as u64, "context");
    let alloc = shown.iter().any(|hot| log.kind_of(hot.kind).is_some_and(|kind| kind.is_agents("alloc")))
        && log.sampling_interval().is_some();
    let by = if alloc { "summed value (of alloc: estimated bytes)" } else { "summed value" };
    let mut lines = vec![format!("Top {} of {all} by {by}", shown.len())];
    let traces: Vec<Trace<'_>> = shown.iter().map(|hot| contexts.show(hot.context)).collect();
    let lengths: Vec<usize> = traces.iter().map(|trace| trace.frames.len() + end_lines(trace)).collect();
    let heights = share(room.saturating_sub(lines.len()), &lengths);
    for (rank, (hot, trace)) in shown.iter().zip(&traces).enumerate() {
        lines.push(text::cut(&top::head(log, rank, hot, found), WIDTH));
        let more = lengths[rank] - heights[rank];
        // Uninstrumented frames on top give way to those that they were called from.
        let walked = trace.frames.iter().take_while(|frame| frame.walked).count();
        let first = walked.saturating_sub(heights[rank] / 2).min(more);
        for at in 0..heights[rank] {
            let last = at + 1 == heights[rank] && more > 0;
            let tail = if last { format!(" ... {more} more") } else { String::new() };
            let width = WIDTH - INDENT.len() - tail.len();
            let line = match trace.frames.get(first + at) {
                Some(frame) => text::short(frame, width),
                None => text::cut(&text::end(trace.end).unwrap_or_default(), width),
            };
            lines.push(format!("{INDENT}{line}{tail}"));
        }
    }
    lines
}

/// Lines that the end of a trace takes.
fn end_lines(trace: &Trace<'_>) -> usize {
    text::end(trace.end).iter().len()
}

/// How many lines each trace of these lengths gets: one each, then up to three, then up to six, the hottest first.
fn share(room: usize, lengths: &[usize]) -> Vec<usize> {
    let mut heights: Vec<usize> = lengths.iter().map(|&length| length.min(1)).collect();
    let mut left = room.saturating_sub(lengths.len() + heights.iter().sum::<usize>());
    for limit in [3, FRAMES] {
        for (height, &length) in heights.iter_mut().zip(lengths) {
            let want = length.min(limit).saturating_sub(*height).min(left);
            *height += want;
            left -= want;
        }
    }
    heights
}

/// The commands to see more.
fn commands(found: &Hottest, args: &Args) -> Vec<String> {
    let path = args.log.display().to_string();
    let path = plain(&path);
    let kind = args.kind.as_ref().map_or_else(String::new, |kind| format!(" --kind {}", plain(kind)));
    let mut commands = Vec::new();
    if let Some(first) = found.contexts.first() {
        commands.push((format!("--top 100{kind}"), "their full traces"));
        commands.push((format!("--context {}", top::name(first)), "one context with its events"));
        commands.push((format!("--events{kind}"), "each event; also --format json"));
        commands.push((format!("--format collapsed{kind}"), "for flame graphs"));
    }
    commands.push(("--stats".into(), "figures, checks, what is left out"));
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    let line = |(command, what): &(String, &str)| format!("  lucce-decode {path} {command:width$}  {what}");
    ["More:".to_owned()].into_iter().chain(commands.iter().map(line)).collect()
}
