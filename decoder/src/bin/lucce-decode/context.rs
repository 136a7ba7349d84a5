//! `--context ID`: one context, whole, with its events.
//!
//! Invariant: `cN` is the context of event N, `tN` that of the tallies of node N, and `nN` the captured number N, so that a name means the same
//! whatever else is asked or lost.
//! Source: issue-level contract of `lucce-decode --context`.

use std::io::Write;

use lucce_decoder::{Contexts, Event, Log, Place};
use lucce_words::NodeId;

use crate::args::Format;
use crate::{Failure, collapsed, events, json, text};

/// Prints the context's trace, then its events.
pub fn show(log: &Log, id: &str, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    let no_such = |why: &str| Failure::Question(format!("no context {id}: {why}"));
    if let Some(number) = id.strip_prefix('n') {
        return captured(log, id, number, format, out);
    }
    let no_name = || no_such("a context is named as in c12, or n7 for the captured number 7");
    let seq = Event::seq_named(id).ok_or_else(no_name)?;
    let event = log.event(seq).ok_or_else(|| no_such("the log has no such event"))?;
    let mut contexts = Contexts::new(log);
    let context = contexts.find(&event.place);
    let trace = contexts.show(context);
    let found: Vec<&Event> = log.events().iter().filter(|event| contexts.find(&event.place) == context).collect();
    match format {
        Format::Json => {
            for event in found {
                json::event(log, event, &trace, &contexts.origins(event), out)?;
            }
        }
        Format::Collapsed => {
            collapsed::show(log, &mut contexts, found.into_iter(), false, None, out)?;
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

/// A captured number, as the program has it from `Lucce.capture()`: its trace alone, since it needs no event.
fn captured(log: &Log, id: &str, number: &str, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    // As the API prints it, with 16 hexadecimal digits, or as a decimal number.
    let read = if number.len() == 16 { u32::from_str_radix(number, 16) } else { number.parse() };
    let node = read.ok().map(NodeId).filter(|node| log.has_captured(*node));
    let node =
        node.ok_or_else(|| Failure::Question(format!("no context {id}: the log has no such captured number")))?;
    let trace = Contexts::new(log).trace(&Place { node, ..Place::default() });
    match format {
        Format::Json => json::trace(node.0, &trace, out)?,
        Format::Collapsed => writeln!(out, "{} 1", collapsed::stack(&trace, None, None))?,
        Format::Text => text::trace(&trace, "", out)?,
    }
    Ok(())
}
