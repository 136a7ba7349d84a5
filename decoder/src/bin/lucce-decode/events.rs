//! `--events`: each event with its trace, in file order.
//!
//! Invariant: every event that could be read is printed, those with an unknown context too.
//! Source: issue-level contract of `lucce-decode --events`.

use std::io::{self, Write};

use lucce_decoder::{Contexts, Event, Log};

use crate::{json, text};

/// As text.
pub fn text(log: &Log, chosen: impl Fn(&Event) -> bool, out: &mut impl Write) -> io::Result<()> {
    let mut contexts = Contexts::new(log);
    for event in log.events().iter().filter(|event| chosen(event)) {
        head(log, event, out)?;
        text::trace(&contexts.trace(&event.place), "    ", out)?;
        text::origins(&contexts.origins(event), "    ", out)?;
    }
    Ok(())
}

/// One line about an event.
pub fn head(log: &Log, event: &Event, out: &mut impl Write) -> io::Result<()> {
    let kind = log.kind(event.kind).unwrap_or("unknown kind");
    if event.is_tally() {
        let class = log.allocated(event).map_or_else(String::new, |class| format!(" of {class}"));
        let (name, sum) = (Event::context_name(event.seq), text::value(kind, event.value.into()));
        return writeln!(out, "tally {name}: {kind} {sum} in {}{class}", text::plural(event.count, "event"));
    }
    let thread = log.thread(event.thread).map_or("unknown thread", |thread| thread.name.as_str());
    let class = log.allocated(event).map_or_else(String::new, |class| format!(" of {class}"));
    let (seq, time) = (event.seq, text::seconds(event.time_ns));
    writeln!(out, "event {seq}: {kind} {}{class} after {time} in \"{thread}\"", text::single(kind, event.value))
}

/// As JSON, one object a line.
pub fn json(log: &Log, chosen: impl Fn(&Event) -> bool, out: &mut impl Write) -> io::Result<()> {
    let mut contexts = Contexts::new(log);
    for event in log.events().iter().filter(|event| chosen(event)) {
        json::event(log, event, &contexts.trace(&event.place), &contexts.origins(event), out)?;
    }
    Ok(())
}
