//! `--stats`: the figures of a log.
//!
//! Invariant: text and JSON have the same names.
//! Source: issue-level contract of `lucce-decode --stats`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use lucce_decoder::{Figures, Log, Stats};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;

use crate::args::Format;
use crate::logs::{ReplayedLog, Summed};
use crate::plain::plain;
use crate::state::State;
use crate::{json, text};

/// Prints them.
pub fn show(all: &Summed, format: Format, out: &mut impl Write) -> io::Result<()> {
    for (at, ReplayedLog { path, log, state, .. }) in all.logs.iter().enumerate() {
        let stats = all.stats(at);
        match format {
            Format::Json => json::put(&Object { log, state: *state, stats: &stats }, out)?,
            Format::Text | Format::Collapsed => {
                if all.logs.len() > 1 {
                    writeln!(out, "{}{}", if at > 0 { "\n" } else { "" }, plain(&path.display().to_string()))?;
                }
                writeln!(out, "{:20} {}", "state", state.name())?;
                text(log, &stats, out)?;
            }
        }
    }
    Ok(())
}

/// The plain figures, in the order in which they are printed.
fn numbers(stats: &Stats) -> [(&'static str, u64); 23] {
    [
        ("classes", stats.classes),
        ("methods", stats.methods),
        ("huge_methods", stats.huge_methods),
        ("sites", stats.sites),
        ("edges", stats.edges),
        ("cut_edges", stats.cut_edges),
        ("unrolled_edges", stats.unrolled_edges),
        ("versions", stats.versions),
        ("largest_call_id", stats.largest_call_id),
        ("captured", stats.captured),
        ("threads", stats.threads),
        ("events", stats.counts.events),
        ("tallies", stats.counts.tallies),
        ("contexts", stats.counts.contexts),
        ("decoded_events", stats.counts.decoded_events),
        ("lost_events", stats.counts.lost_events),
        ("undecodable_events", stats.counts.undecodable_events),
        ("lost_records", stats.loss.records),
        ("lost_versions", stats.loss.versions),
        ("malformed_blocks", stats.loss.malformed),
        ("blocks", stats.blocks),
        ("bytes", stats.bytes),
        ("raw_bytes", stats.raw_bytes),
    ]
}

/// One object with everything. Not a `serde_json::Value`: that has no integers beyond 64 bits, as a
/// sum can be.
struct Object<'a> {
    log: &'a Log,
    state: State,
    stats: &'a Stats,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { log, state, stats } = self;
        let mut object = serializer.serialize_map(None)?;
        for (name, value) in numbers(stats) {
            object.serialize_entry(name, &value)?;
        }
        object.serialize_entry("complete", &log.is_complete())?;
        object.serialize_entry("header", &log.header())?;
        object.serialize_entry("kinds", &Kinds(stats))?;
        object.serialize_entry("reasons", &reasons(stats))?;
        let skips = stats.skips.iter();
        let skips = skips.map(|(why, (classes, methods))| (why, json!({ "classes": classes, "methods": methods })));
        object.serialize_entry("skips", &skips.collect::<BTreeMap<_, _>>())?;
        object.serialize_entry("record_bytes", &stats.record_bytes)?;
        object.serialize_entry("counters", &stats.counters)?;
        object.serialize_entry("chance_of_collision", &stats.chance_of_collision())?;
        object.serialize_entry("mismatches", log.mismatches())?;
        object.serialize_entry("notes", log.notes())?;
        object.serialize_entry("run", &text::run(log))?;
        object.serialize_entry("state", state.name())?;
        object.end()
    }
}

/// Events whose traces end early, by the reason.
fn reasons(stats: &Stats) -> BTreeMap<String, u64> {
    stats.counts.reasons.iter().map(|(reason, &events)| (reason.to_string(), events)).collect()
}

/// Events by kind.
struct Kinds<'a>(&'a Stats);

impl Serialize for Kinds<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Kind {
            events: u64,
            value: i128,
        }
        serializer.collect_map(
            self.0.counts.kinds.iter().map(|(kind, &Figures { events, value, .. })| (kind, Kind { events, value })),
        )
    }
}

fn text(log: &Log, stats: &Stats, out: &mut impl Write) -> io::Result<()> {
    for (name, value) in numbers(stats) {
        writeln!(out, "{:20} {}", name.replace('_', " "), text::count(value))?;
    }
    if !stats.counts.kinds.is_empty() {
        writeln!(out, "\nevents by kind")?;
        for (kind, &Figures { kind: id, events, value }) in &stats.counts.kinds {
            writeln!(
                out,
                "  {:18} {}, {}",
                plain(kind),
                text::plural(events, "event"),
                text::value(text::unit(log, id), value)
            )?;
        }
    }
    if !stats.counts.reasons.is_empty() {
        writeln!(out, "\nevents whose traces end early, by reason")?;
        for (reason, events) in reasons(stats) {
            writeln!(out, "  {}: {reason}", text::plural(events, "event"))?;
        }
    }
    if !stats.record_bytes.is_empty() {
        writeln!(out, "\nbytes by kind of record, before compression")?;
        for (kind, &bytes) in &stats.record_bytes {
            writeln!(out, "  {:18} {}", kind.replace('_', " "), text::count(bytes))?;
        }
    }
    if !stats.counters.is_empty() {
        writeln!(out, "\ncounters")?;
        for (name, &value) in &stats.counters {
            writeln!(out, "  {:18} {}", plain(name), text::count(value))?;
        }
    }
    if let Some(chance) = stats.chance_of_collision() {
        writeln!(out, "\nchance that any two contexts have one hashed word: {chance:.1e} at most")?;
    }
    if !stats.skips.is_empty() {
        writeln!(out, "\nskipped or noted, by reason")?;
        for (reason, &(classes, methods)) in &stats.skips {
            let (classes, methods) = (text::plural(classes, "class"), text::plural(methods, "method"));
            writeln!(out, "  {classes}, {methods}: {}", plain(reason))?;
        }
    }
    let huge = log.methods().into_iter().filter_map(|id| log.names().method(id)).filter(|method| method.huge);
    for (at, method) in huge.enumerate() {
        if at == 0 {
            writeln!(out, "\nlonger than the JVM compiles (8000 bytes) once instrumented")?;
        }
        let class = log.names().class(method.class).map_or("?", |class| &*class.name);
        writeln!(out, "  {}", plain(&format!("{class}.{}{}", method.name, method.desc)))?;
    }
    for (title, texts) in [("mismatches", log.mismatches()), ("notes", log.notes())] {
        if !texts.is_empty() {
            writeln!(out, "\n{title}")?;
        }
        for line in texts.iter().flat_map(|text| text.lines()) {
            writeln!(out, "  {}", plain(line))?;
        }
    }
    for (at, skip) in log.skips().iter().enumerate() {
        if at == 0 {
            writeln!(out, "\nskipped or noted, by name")?;
        }
        let method = skip.method.as_ref().map_or_else(String::new, |method| format!(".{method}"));
        writeln!(out, "  {}", plain(&format!("{}{method}: {}", skip.class, skip.reason)))?;
    }
    Ok(())
}
