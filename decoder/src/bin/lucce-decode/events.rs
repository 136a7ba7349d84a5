//! `events`: each event with its trace, in file order.
//!
//! Invariant: every event that could be read and that the filter takes is printed, those with an
//! unknown context too.
//! Source: docs/guide/decoder.md.

use std::io::{self, Write};

use lucce_decoder::{Contexts, Filter, Holders, Log, LoggedEvent};

use crate::args::Format;
use crate::plain::plain;
use crate::{json, text};

/// Prints the events of a log that a filter takes.
pub struct Printing<'a> {
    log: &'a Log,
    filter: &'a Filter,
    contexts: Contexts<'a>,
    holders: Holders,
}

impl<'a> Printing<'a> {
    /// None yet.
    pub fn new(log: &'a Log, filter: &'a Filter) -> Self {
        Self { log, filter, contexts: Contexts::new(log), holders: Holders::default() }
    }

    /// Prints the next event as text, or in JSON as one object a line.
    pub fn event(&mut self, event: &LoggedEvent, format: Format, out: &mut impl Write) -> io::Result<()> {
        let Self { log, filter, contexts, holders } = self;
        let is_holder = log.kind_of(event.kind).is_some_and(|kind| kind.is_agents("holder"));
        let holder = holders.of(event, is_holder);
        if !filter.takes(log, event) {
            return Ok(());
        }
        if format == Format::Json {
            return json::event(log, contexts, filter, (event, holder.as_ref()), out);
        }
        let Some(trace) = filter.trace(contexts.trace(&event.place)) else { return Ok(()) };
        head(log, event, out)?;
        text::trace(&trace, "    ", out)?;
        text::origins(&contexts.origins(event), "    ", out)?;
        let Some(holder) = holder else { return Ok(()) };
        match log.thread(holder.thread) {
            Some(thread) => writeln!(out, "    held by \"{}\"", plain(&thread.name))?,
            None => writeln!(out, "    held by")?,
        }
        text::trace(&contexts.trace(&holder.place), "    ", out)?;
        text::origins(&contexts.origins(&holder), "    ", out)
    }
}

/// One line about an event.
pub fn head(log: &Log, event: &LoggedEvent, out: &mut impl Write) -> io::Result<()> {
    let kind = log.kind(event.kind).unwrap_or("unknown kind");
    let class = log.allocated(event).map_or_else(String::new, |class| format!(" of {}", plain(class)));
    if event.is_tally() {
        let (name, sum) =
            (LoggedEvent::context_name(event.seq), text::value(text::unit(log, event.kind), event.value.into()));
        return writeln!(out, "tally {name}: {} {sum} in {}{class}", plain(kind), text::plural(event.count, "event"));
    }
    let thread = log.thread(event.thread).map_or("unknown thread", |thread| thread.name.as_str());
    let (seq, time, value) =
        (event.seq, text::seconds(event.time_ns), text::single(text::unit(log, event.kind), event.value));
    writeln!(out, "event {seq}: {} {value}{class} after {time} in \"{}\"", plain(kind), plain(thread))
}
