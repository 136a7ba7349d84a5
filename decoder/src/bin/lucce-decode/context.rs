//! `--context ID`: one context, whole, with its events.
//!
//! Invariant: `cN` is the context of event N, `tN` that of the tallies of node N, and `nN` the
//! captured number N, so that a name means the same whatever else is asked or lost. A fingerprint
//! means every context that has it, in any log.
//! Source: issue-level contract of `lucce-decode --context`; docs/FORMAT.md, "Fingerprints".

use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow;

use lucce_decoder::export::{Gathered, Profile, collapsed};
use lucce_decoder::{ContextId, Contexts, Filter, Fingerprint, Log, LoggedEvent, Place};
use lucce_words::NodeId;

use crate::args::Format;
use crate::failure::Failure;
use crate::plain::part;
use crate::replayed::Replayed;
use crate::{events, json, text};

/// Prints the context's trace, then its events.
pub fn show(replayed: &Replayed, id: &str, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    let log = replayed.log();
    let no_such = |why: &str| Failure::Question(format!("no context {id}: {why}"));
    let mut contexts = Contexts::new(log);
    if let Ok(fingerprint) = id.parse() {
        let found = with(replayed, &mut contexts, fingerprint)?;
        if found.is_empty() {
            return Err(no_such("no event of the log has this fingerprint"));
        }
        return print(log, &mut contexts, &found, format, out);
    }
    if let Some(number) = id.strip_prefix('n') {
        return captured(log, id, number, format, out);
    }
    let no_name =
        || no_such("a context is named as in c12, n7 for the captured number 7, or by its fingerprint of 32 digits");
    let seq = LoggedEvent::seq_named(id).ok_or_else(no_name)?;
    let mut place = None;
    replayed.events(|event| {
        place = place.or_else(|| (event.seq == seq).then_some(event.place));
        Ok(if place.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    let context = contexts.find(&place.ok_or_else(|| no_such("the log has no such event"))?);
    let mut events = Vec::new();
    replayed.events(|event| {
        if contexts.find(&event.place) == context {
            events.push(event.clone());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    print(log, &mut contexts, &[(context, events)], format, out)
}

/// A context and its events.
type Found = (ContextId, Vec<LoggedEvent>);

/// The contexts with a fingerprint, in the order of their first events. That of names can be of
/// several.
fn with<'a>(
    replayed: &'a Replayed,
    contexts: &mut Contexts<'a>,
    fingerprint: Fingerprint,
) -> Result<Vec<Found>, Failure> {
    let mut met: HashMap<ContextId, Option<usize>> = HashMap::new();
    let mut found: Vec<Found> = Vec::new();
    replayed.events(|event| {
        let context = contexts.find(&event.place);
        let at = *met.entry(context).or_insert_with(|| {
            contexts.fingerprints(context).has(fingerprint).then(|| {
                found.push((context, Vec::new()));
                found.len() - 1
            })
        });
        if let Some(at) = at {
            found[at].1.push(event.clone());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

fn print<'a>(
    log: &'a Log,
    contexts: &mut Contexts<'a>,
    found: &[Found],
    format: Format,
    out: &mut impl Write,
) -> Result<(), Failure> {
    match format {
        Format::Json => {
            for event in found.iter().flat_map(|(_, events)| events) {
                json::event(log, contexts, &Filter::default(), (event, None), out)?;
            }
        }
        Format::Collapsed => {
            let (mut profile, mut gathered) = (Profile::new(false), Gathered::new());
            gathered.extend(log, found.iter().flat_map(|(_, events)| events));
            profile.add(log, gathered, "");
            let options = collapsed::CollapsedOptions { kinds: log.kinds().count() > 1, ..Default::default() };
            collapsed::write_with(&profile, options, out)?;
        }
        Format::Text => {
            for (at, (context, events)) in found.iter().enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                text::trace(&contexts.show(*context), "", out)?;
                writeln!(out)?;
                for event in events {
                    events::head(log, event, out)?;
                }
            }
        }
    }
    Ok(())
}

/// A captured number, as the program has it from `Lucce.capture()`: its trace alone, since it needs
/// no event.
fn captured(log: &Log, id: &str, number: &str, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    // As the API prints it, with 16 hexadecimal digits, or as a decimal number.
    let read = if number.len() == 16 { u32::from_str_radix(number, 16) } else { number.parse() };
    let node = read.ok().map(NodeId).filter(|node| log.has_captured(*node));
    let node =
        node.ok_or_else(|| Failure::Question(format!("no context {id}: the log has no such captured number")))?;
    let mut contexts = Contexts::new(log);
    let context = contexts.find(&Place { node, ..Place::default() });
    let trace = contexts.show(context);
    match format {
        Format::Json => json::trace(node.0, &mut contexts, context, out)?,
        Format::Collapsed => {
            let end = text::end(trace.end);
            let frames = trace.frames.iter().rev().map(|frame| part(&text::method(frame)).into_owned());
            writeln!(out, "{} 1", end.into_iter().chain(frames).collect::<Vec<_>>().join(";"))?;
        }
        Format::Text => text::trace(&trace, "", out)?,
    }
    Ok(())
}
