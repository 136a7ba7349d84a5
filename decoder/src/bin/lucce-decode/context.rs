//! `--context ID`: one context, whole, with its events.
//!
//! Invariant: `cN` is the context of event N, so that a name means the same whatever else is asked or lost.
//! Source: issue-level contract of `lucce-decode --context`.

use std::io::Write;

use lucce_decoder::{Contexts, Event, Log};

use crate::args::Format;
use crate::{Failure, collapsed, events, json, text};

/// Prints the context's trace, then its events.
pub fn show(log: &Log, id: &str, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    let no_such = |why: &str| Failure::Question(format!("no context {id}: {why}"));
    let seq = id.strip_prefix('c').unwrap_or(id).parse::<u64>();
    let seq = seq.map_err(|_| no_such("a context is named as in c12"))?;
    let event = log.event(seq).ok_or_else(|| no_such("the log has no such event"))?;
    let mut contexts = Contexts::new(log);
    let context = contexts.find(&event.place);
    let trace = contexts.show(context);
    let found: Vec<&Event> = log.events().iter().filter(|event| contexts.find(&event.place) == context).collect();
    match format {
        Format::Json => {
            for event in found {
                json::event(log, event, &trace, out)?;
            }
        }
        Format::Collapsed => {
            let sum: i128 = found.iter().map(|event| log.weight(event)).sum();
            writeln!(out, "{} {sum}", collapsed::stack(&trace, None, None))?;
        }
        Format::Text => {
            text::trace(&trace, "", out)?;
            writeln!(out)?;
            for event in found {
                events::head(log, event, out)?;
            }
        }
    }
    Ok(())
}
