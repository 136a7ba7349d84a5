//! `--top N`: the contexts with the largest sums, with their full traces.
//!
//! Invariant: sums of different event kinds are never added up.
//! Source: issue-level contract of `lucce-decode --top`.

use std::io::{self, Write};

use lucce_decoder::{Contexts, Event, Hot, Hottest, Log, hottest};
use serde::Serialize;

use crate::args::Format;
use crate::json::{Both, Frame};
use crate::plain::plain;
use crate::{json, text};

#[derive(Serialize)]
struct Line<'a> {
    context: String,
    kind: Option<&'a str>,
    value: i128,
    events: u64,
    class: Option<&'a str>,
    frames: Vec<Frame<'a>>,
    unknown: Option<String>,
    owner: Option<&'static str>,
    #[serde(flatten)]
    fingerprints: Both,
}

/// Prints the first `top` contexts.
pub fn show(
    log: &Log,
    chosen: impl Fn(&Event) -> bool,
    format: Format,
    top: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut contexts = Contexts::new(log);
    let found = hottest(log, &mut contexts, chosen);
    for (rank, hot) in found.contexts.iter().enumerate().take(top) {
        let trace = contexts.show(hot.context);
        if format == Format::Json {
            let line = Line {
                context: name(hot),
                kind: log.kind(hot.kind),
                value: hot.value,
                events: hot.events,
                class: hot.class_name(log),
                frames: Frame::all(&trace),
                unknown: json::unknown(&trace),
                owner: json::owner(log, hot.kind),
                fingerprints: contexts.fingerprints(hot.context).into(),
            };
            json::put(&line, out)?;
        } else {
            writeln!(out, "{}", head(log, rank, hot, &found))?;
            text::trace(&trace, "    ", out)?;
        }
    }
    Ok(())
}

/// The name of a context: that of its first event.
pub fn name(hot: &Hot) -> String {
    Event::context_name(hot.first)
}

/// The event kind of a context.
pub fn kind<'a>(log: &'a Log, hot: &Hot) -> &'a str {
    log.kind(hot.kind).unwrap_or("unknown kind")
}

/// One line about a context.
pub fn head(log: &Log, rank: usize, hot: &Hot, all: &Hottest) -> String {
    let kind = kind(log, hot);
    // A share means something only among values of one kind.
    let of_kind = all.sums.get(&hot.kind).copied().unwrap_or(0);
    let share = if of_kind > 0 && hot.value >= 0 { 100.0 * hot.value as f64 / of_kind as f64 } else { 0.0 };
    let class = hot.class_name(log).map_or_else(String::new, |class| format!(", {}", plain(class)));
    let (value, events) = (text::value(text::unit(log, hot.kind), hot.value), text::plural(hot.events, "event"));
    let kind = plain(kind);
    format!("{:2}. {:<6} {share:5.1} % {kind}: {value} in {events}{class}", rank + 1, name(hot))
}
