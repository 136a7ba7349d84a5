//! The first screen: what the log is, where each kind of events comes from, and the commands to see
//! more.
//!
//! Invariant: each kind has a section with its own total and unit. On a terminal no line is longer
//! than that is wide; a pipe is never cut.
//! Source: docs/guide/decoder.md, "The first screen".

mod marks;
mod section;
mod terminal;

use std::io::{self, Write};

use lucce_decoder::{Own, Stats, ranking};

use self::marks::{Marks, Places};
use self::section::{Screen, Section};
use self::terminal::Terminal;
use crate::commands::Show;
use crate::logs::{ReplayedLog, Summed};
use crate::plain::plain;
use crate::state::State;
use crate::text;

/// Most lines of the legend.
const LEGEND: usize = 3;

/// Prints the screen.
pub fn show(all: &Summed, args: &Show, out: &mut impl Write) -> io::Result<()> {
    let terminal = Terminal::new();
    let mut lines: Vec<String> = Vec::new();
    for at in 0..all.logs.len() {
        lines.extend(about(all, at, terminal));
    }
    let commands = commands(all, args);
    let own = Own::of(all.logs.iter().map(|log| &log.log));
    let places = Places::of(all.profile.stacks());
    let screen = Screen { all, own, places, terminal, verbose: args.verbose };
    let kinds = 0..all.profile.kinds().len();
    let sections: Vec<Section> = kinds.filter_map(|kind| screen.section(kind)).collect();
    let taken = lines.len() + commands.len() + sections.len() + LEGEND + 2;
    let rooms = rooms(terminal.height.saturating_sub(taken), &sections, args.verbose);
    if sections.is_empty() {
        lines.push(String::new());
        lines.extend(nothing(all));
    }
    let mut marks = Marks::default();
    for (section, room) in sections.iter().zip(rooms) {
        lines.push(String::new());
        lines.extend(section.lines(room, args.verbose, terminal, &mut marks));
    }
    let legend = marks.legend();
    if !legend.is_empty() {
        lines.push(String::new());
        lines.extend(legend.iter().map(|text| terminal.dim(&text::cut(&format!("  {text}"), terminal.width))));
    }
    lines.push(String::new());
    lines.extend(commands);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// How many lines each section gets: what all want, or an equal part, and what others leave.
fn rooms(room: usize, sections: &[Section], verbose: bool) -> Vec<usize> {
    let wanted: Vec<usize> = sections.iter().map(|section| section.wanted(verbose)).collect();
    let part = room / sections.len().max(1);
    let mut rooms: Vec<usize> = wanted.iter().map(|&wanted| wanted.min(part)).collect();
    let mut left = room.saturating_sub(rooms.iter().sum());
    for (given, &wanted) in rooms.iter_mut().zip(&wanted) {
        let more = (wanted - *given).min(left);
        *given += more;
        left -= more;
    }
    rooms
}

/// What is said where no event is.
fn nothing(all: &Summed) -> Vec<String> {
    if (0..all.logs.len()).any(|at| all.profile.runs()[at].counts.events > 0)
        || all.logs.iter().any(|log| log.log.kinds().count() > 0)
    {
        return vec!["No events that fit what was asked for.".into()];
    }
    vec![
        "No events. The agent's option alloc=512k samples allocations; Lucce.event(kind, value) adds your own.".into(),
        "  exceptions  each exception as it is thrown    locks    waits for monitors and in park".into(),
        "  cpu=5ms     where threads use the processor   entries=com.acme.Api.*  calls of methods".into(),
        "  alloc=all   every allocation, counted         leaks    what is allocated and never freed".into(),
    ]
}

/// What a log is, and its figures.
fn about(all: &Summed, at: usize, terminal: Terminal) -> Vec<String> {
    let ReplayedLog { path, log, state, .. } = &all.logs[at];
    let stats = &all.stats(at);
    let state = match state {
        State::Cut => "without an end",
        State::Full => "without its end, the disk is full",
        State::Killed => "cut, its JVM was killed",
        other => other.name(),
    };
    let cut = |line: String| text::cut(&plain(&line), terminal.width);
    let name = path.display().to_string();
    let mut lines = vec![terminal.bold(&format!("{}: Lucce log, {}, {state}", plain(&name), text::size(log.bytes())))];
    if all.logs.len() > 1 {
        return lines;
    }
    if let Some(header) = log.header() {
        let start = text::moment(header.start_unix_ns);
        let last = all.profile.runs()[at].counts.last_ns;
        let last = last.map_or_else(String::new, |ns| format!(", last event after {}", text::seconds(ns)));
        lines.push(cut(format!("  {} on {}", header.agent, header.jvm)));
        lines.extend(text::run(log).map(|run| format!("  run {run}")));
        lines.push(cut(format!("  pid {} on {}, {start}{last}", header.pid, header.host)));
        if !header.labels.is_empty() {
            let labels: Vec<String> = header.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
            lines.push(cut(format!("  labels {}", labels.join(" "))));
        }
        lines.push(format!(
            "  options {}",
            if header.options.is_empty() { "none".into() } else { plain(&header.options) }
        ));
    }
    let (classes, methods) = (text::plural(stats.classes, "class"), text::plural(stats.methods, "method"));
    let (edges, versions) = (text::plural(stats.edges, "edge"), text::plural(stats.versions, "version"));
    let cuts = text::count(stats.cut_edges);
    lines.push(format!("  {classes}, {methods}, {edges} ({cuts} cut), {versions}"));
    let (events, distinct) =
        (text::plural(stats.counts.events, "event"), text::plural(stats.counts.contexts, "context"));
    let counter = |name: &str| stats.counters.get(name).copied().unwrap_or(0);
    let drops = counter("events.dropped").saturating_add(counter("tally.dropped"));
    let full = if log.refusal().is_some() { " (disk full)" } else { "" };
    let [lost, gone, drops] = [stats.counts.lost_events, stats.counts.undecodable_events, drops].map(text::count);
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
    let unknown = match counter("verify.unknown") {
        0 => String::new(),
        some => format!(", {} unknown (walked)", text::count(some)),
    };
    format!("{checks} of {distinct} against the JVM's stack walks: {wrong}, {lost} lost{unknown}")
}

/// The commands to see more.
fn commands(all: &Summed, args: &Show) -> Vec<String> {
    let paths: Vec<String> =
        args.logs.logs.iter().map(|path| plain(&path.display().to_string()).into_owned()).collect();
    let (paths, chosen) = (paths.join(" "), args.choice.words());
    let mut commands = Vec::new();
    let first = ranking(&all.profile, Default::default()).first().and_then(|of| Some(of.rows.first()?.first));
    if let Some(first) = first {
        commands.push((format!("top -n 100 {paths}{chosen}"), "full traces"));
        commands.push((format!("tree {paths}{chosen}"), "the call tree"));
        if all.logs.len() == 1 {
            commands.push((format!("{paths} --context {}", all.profile.context(first)), "one context with its events"));
        }
        commands.push((format!("events {paths}{chosen}"), "each event; also --format json"));
        commands.push((format!("export {paths}{chosen} -o app.jfr"), "for other tools"));
    }
    if all.profile.kinds().iter().any(|kind| kind.is_agents("leak")) {
        commands.push((format!("leaks {paths}"), "what is never freed"));
    }
    commands.push((format!("stats {paths}"), "figures, checks, what is left out"));
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let line = |(command, what): &(String, &str)| format!("  lucce-decode {command:width$}  {what}");
    ["More:".to_owned()].into_iter().chain(commands.iter().map(line)).collect()
}
