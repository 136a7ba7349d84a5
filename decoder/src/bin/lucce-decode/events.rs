//! `events`: each event with its trace, in file order.
//!
//! Invariant: every event that could be read and that the filter takes is printed, those with an unknown context too.
//! Source: docs/guide/decoder.md.

use std::io::{self, Write};

use lucce_decoder::{Contexts, Event, Filter, Log};

use crate::plain::plain;
use crate::{json, text};

/// As text.
pub fn text(log: &Log, filter: &Filter, out: &mut impl Write) -> io::Result<()> {
    let mut contexts = Contexts::new(log);
    for event in log.events().iter().filter(|event| filter.takes(log, event)) {
        let Some(trace) = filter.trace(contexts.trace(&event.place)) else { continue };
        head(log, event, out)?;
        text::trace(&trace, "    ", out)?;
        text::origins(&contexts.origins(event), "    ", out)?;
    }
    Ok(())
}

/// One line about an event.
pub fn head(log: &Log, event: &Event, out: &mut impl Write) -> io::Result<()> {
    let kind = log.kind(event.kind).unwrap_or("unknown kind");
    let class = log.allocated(event).map_or_else(String::new, |class| format!(" of {}", plain(class)));
    if event.is_tally() {
        let (name, sum) =
            (Event::context_name(event.seq), text::value(text::unit(log, event.kind), event.value.into()));
        return writeln!(out, "tally {name}: {} {sum} in {}{class}", plain(kind), text::plural(event.count, "event"));
    }
    let thread = log.thread(event.thread).map_or("unknown thread", |thread| thread.name.as_str());
    let (seq, time, value) =
        (event.seq, text::seconds(event.time_ns), text::single(text::unit(log, event.kind), event.value));
    writeln!(out, "event {seq}: {} {value}{class} after {time} in \"{}\"", plain(kind), plain(thread))
}

/// As JSON, one object a line.
pub fn json(log: &Log, filter: &Filter, out: &mut impl Write) -> io::Result<()> {
    let mut contexts = Contexts::new(log);
    for event in log.events().iter().filter(|event| filter.takes(log, event)) {
        json::event(log, &mut contexts, filter, event, out)?;
    }
    Ok(())
}
