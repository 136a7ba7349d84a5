//! `lucce-decode leaks LOG`: the suspects of the leak detector, the fastest growing first, with
//! their traces.
//!
//! Invariant: withdrawn suspects come last and say so; a log without suspects says in one line what
//! was watched. What is left out of a trace is counted, and never a frame above the last one of the
//! program's own.
//! Source: docs/guide/leaks.md.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Parser;
use lucce_decoder::{Contexts, Log, Look, Own, Suspect, Trace, TraceEnd, said_of, suspects};
use serde::Serialize;

use crate::args::ReportFormat;
use crate::doctor::{CAUSE_COLLECTION, FEWEST_COLLECTIONS};
use crate::failure::Failure;
use crate::json::{Both, JsonFrame};
use crate::plain::plain;
use crate::replayed::Replayed;
use crate::{fold, json, text};

/// Most looks of a history that are printed as text.
const LOOKS: usize = 8;

/// Prints what the option `leaks` of the agent has found.
#[derive(Debug, Parser)]
#[command(
    after_help = "Exit status: 0 complete log, 1 the run had no leak detector, 2 not a Lucce log, 3 damaged or cut log."
)]
pub struct LeaksArgs {
    /// The log
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// text or json (one object a line)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    format: ReportFormat,
    /// Only the first N suspects
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// N frames at most of each trace [default: to the last one of the program's own, where many
    /// follow]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
}

#[derive(Serialize)]
struct LeakLine<'a> {
    context: String,
    class: Option<&'a str>,
    bytes: i64,
    objects: i64,
    generations: i64,
    growth: i64,
    since_ns: i64,
    suspected_ns: u64,
    withdrawn_ns: Option<u64>,
    history: Vec<Point>,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
    #[serde(flatten)]
    fingerprints: Both,
}

#[derive(Serialize)]
struct Point {
    time_ns: u64,
    collections: i64,
    bytes: i64,
    objects: i64,
    generations: i64,
}

/// Prints them.
pub fn show(replayed: &Replayed, args: &LeaksArgs, out: &mut impl Write) -> Result<(), Failure> {
    let log = replayed.log();
    let watched = log.header().is_none() || log.option("leaks").is_some();
    if !watched {
        return Err(Failure::Question("the run had no leak detector: give the agent the option leaks".into()));
    }
    let mut contexts = Contexts::new(log);
    let mut events = Vec::new();
    replayed.events(|event| {
        events.extend(said_of(log, event).map(|_| event.clone()));
        Ok(ControlFlow::Continue(()))
    })?;
    let found = suspects(&events, log, &mut contexts);
    let shown = found.iter().take(args.top.unwrap_or(usize::MAX));
    match args.format {
        ReportFormat::Json => {
            for suspect in shown {
                json::put(&line(log, &mut contexts, suspect), out)?;
            }
        }
        ReportFormat::Text => {
            let now = found.iter().filter(|suspect| suspect.withdrawn_ns.is_none()).count();
            let seen = log.counters().get("leaks.collections").copied();
            match seen.filter(|&seen| found.is_empty() && seen < FEWEST_COLLECTIONS) {
                Some(seen) => {
                    let of = format!("{seen} of {FEWEST_COLLECTIONS} old collections seen");
                    writeln!(out, "{of}: no leak can show before; {CAUSE_COLLECTION}")?;
                }
                None => {
                    let after = seen
                        .map_or_else(String::new, |seen| format!(" after {}", text::plural(seen, "old collection")));
                    let suspects = text::plural(now as u64, "suspect");
                    writeln!(out, "{suspects}, {} withdrawn{after}", found.len() - now)?;
                }
            }
            let own = Own::of([log].into_iter());
            for (rank, suspect) in shown.enumerate() {
                let mut trace = contexts.show(suspect.context);
                let folded = fold::fold(&mut trace.frames, args.depth, &own);
                if folded > 0 {
                    trace.end = TraceEnd::Root;
                }
                writeln!(out)?;
                paragraph(log, (&trace, folded), rank, suspect, out)?;
            }
        }
    }
    Ok(())
}

fn line<'a>(log: &'a Log, contexts: &mut Contexts<'a>, suspect: &Suspect) -> LeakLine<'a> {
    let trace = contexts.show(suspect.context);
    let Look { bytes, objects, generations, growth, since_ns, .. } = suspect.last();
    let point = |look: &Look| Point {
        time_ns: look.time_ns,
        collections: look.collections,
        bytes: look.bytes,
        objects: look.objects,
        generations: look.generations,
    };
    LeakLine {
        context: format!("c{}", suspect.first),
        class: suspect.class_name(log),
        bytes,
        objects,
        generations,
        growth,
        since_ns,
        suspected_ns: suspect.history.first().map_or(0, |look| look.time_ns),
        withdrawn_ns: suspect.withdrawn_ns,
        history: suspect.history.iter().map(point).collect(),
        frames: JsonFrame::all(&trace),
        unknown: json::unknown(&trace),
        fingerprints: contexts.fingerprints(suspect.context).into(),
    }
}

fn paragraph(
    log: &Log,
    (trace, folded): (&Trace<'_>, usize),
    rank: usize,
    suspect: &Suspect,
    out: &mut impl Write,
) -> io::Result<()> {
    let last = suspect.last();
    let first = suspect.history.first().copied().unwrap_or_default();
    let class = plain(suspect.class_name(log).unwrap_or("unknown class"));
    writeln!(
        out,
        "{:2}. c{}: {} in {} of {class}, {} a collection, born in {}",
        rank + 1,
        suspect.first,
        text::size(last.bytes),
        text::plural(last.objects.unsigned_abs(), "object"),
        growth(last.growth),
        text::plural(last.generations.unsigned_abs(), "generation"),
    )?;
    writeln!(
        out,
        "    growing since {}, suspected after {} at old collection {}{}",
        text::seconds(last.since_ns.unsigned_abs()),
        text::seconds(first.time_ns),
        first.collections,
        suspect.withdrawn_ns.map_or_else(String::new, |at| format!(", withdrawn after {}", text::seconds(at))),
    )?;
    text::trace(trace, "    ", out)?;
    fold::remark(folded, "    ", out)?;
    // The first, the last, and some between at even distances.
    let steps = suspect.history.len().min(LOOKS);
    for step in 0..steps {
        let at = if steps > 1 { step * (suspect.history.len() - 1) / (steps - 1) } else { 0 };
        let look = suspect.history[at];
        writeln!(
            out,
            "    after {} (old collection {}): {} in {}, {}",
            text::seconds(look.time_ns),
            look.collections,
            text::size(look.bytes),
            text::plural(look.objects.unsigned_abs(), "object"),
            text::plural(look.generations.unsigned_abs(), "generation"),
        )?;
    }
    Ok(())
}

fn growth(bytes: i64) -> String {
    let sign = if bytes < 0 { "" } else { "+" };
    format!("{sign}{}", text::size(bytes))
}
