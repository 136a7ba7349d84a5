//! What a run says at its end: counters for the log, and the lines on standard error.

use std::sync::atomic::{AtomicU64, Ordering};

use lucce_log::Record;

use crate::encode::encoder::GraphFigures;
use crate::events::profile::Profile;
use crate::options::EncoderKind;
use crate::state::agent::Agent;
use crate::state::cache::Cache;
use crate::{events::sources, support::boundary, support::lock};

/// Writes the last counters, closes the log and prints the summary.
pub fn finish(agent: &Agent) {
    agent.events.context_dump.finish(agent);
    if let Some(cache) = &agent.classes.cache {
        cache.finish();
    }
    if let Some(tallies) = &agent.events.tallies {
        tallies.finish(agent);
    }
    agent.encoder.finish(agent);
    agent.run.writer.queue(boundary::first().map(|text| Record::Note { text }).into_iter().collect());
    let counters = counters(agent);
    let written = agent.run.writer.stop(vec![Record::Counters { values: counters.clone() }]);
    let value = |name: &str| counters.iter().find(|(known, _)| known == name).map_or(0, |(_, value)| *value);
    if agent.options.verify.is_on() {
        match value("verify.checks") {
            0 => say!("verify: no check was made"),
            checks => say!(
                "verify: {checks} checks{} of {} distinct contexts: {} mismatches, {} lost{}{}",
                match value("verify.incremental") {
                    0 => String::new(),
                    incremental => format!(" ({incremental} of them incremental)"),
                },
                value("verify.distinct"),
                value("verify.mismatches"),
                value("verify.lost"),
                match value("verify.unknown") {
                    0 => String::new(),
                    unknown => format!(", {unknown} unknown, which events walk"),
                },
                match value("verify.edges") {
                    0 => String::new(),
                    edges => format!("; {edges} of {} edges checked", value("graph.edges")),
                },
            ),
        }
    }
    if agent.options.encoder == EncoderKind::Icpp && value("verify.checks") > 0 {
        // What was lost or unknown said nothing, so it was not wrong.
        let told = value("verify.checks") - value("verify.lost") - value("verify.unknown");
        let wrong = value("verify.mismatches");
        let found = value("icpp.found") as f64 / (value("icpp.found") + value("icpp.walked")).max(1) as f64;
        say!(
            "icpp: {:.1} wrong paths a million: {wrong} of {told}; {:.1} % looked up, the others walked",
            wrong as f64 * 1e6 / told.max(1) as f64,
            found * 100.0
        );
    }
    if agent.options.encoder == EncoderKind::Count {
        say!("{} calls entered", value("calls.entered"));
    }
    // What a log without its end has nobody knows.
    if written {
        say_events(agent, value("tally.alloc") + value("tally.entry") + value("tally.profile"));
    }
}

/// The last line: how many events are in the log, those that `counted` are included, and how many
/// are not. With `quiet` only if some are not.
fn say_events(agent: &Agent, counted: u64) {
    let writer = &agent.run.writer;
    // Not what was counted before the end: the disk may have refused the last ones.
    let (events, lost) = (writer.events() + counted, writer.lost_sums());
    let (dropped, path) = (writer.dropped() + lost, writer.path());
    let (events, path) = (events.saturating_sub(lost), path.display());
    let why = match writer.was_full() {
        (_, true) => "the log takes no more, and its end is missing",
        (true, false) => "the log took no more for a while",
        (false, false) => "the log could not keep up",
    };
    if dropped > 0 || writer.was_full().1 {
        say!("{events} events in {path}, {dropped} dropped: {why}");
    } else if !agent.options.quiet {
        say!("{events} events in {path}");
    }
}

/// The counters that can be read without the encoder's lock, by name: what each block of the log
/// tells.
pub fn progress() -> Vec<(&'static str, u64)> {
    Agent::get().map_or_else(Vec::new, unlocked)
}

fn unlocked(agent: &Agent) -> Vec<(&'static str, u64)> {
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (classes, methods, sites) = agent.classes.catalog.counts();
    // Those that were only learned have no hooks.
    let (classes, methods) = if agent.options.has_hooks() { (classes, methods) } else { (0, 0) };
    let cache = agent.classes.cache.as_ref();
    let slow = &agent.run.counters;
    let oracle = &agent.oracle;
    let mut values = vec![
        ("classes.rewritten", classes.into()),
        ("classes.recorded", cache.map_or(0, Cache::recorded)),
        ("classes.found", cache.map_or(0, |cache| load(&cache.found))),
        ("classes.unloaded", load(&agent.classes.unloading.classes)),
        ("classes.skipped", load(&slow.classes_skipped)),
        ("methods.hooked", methods.into()),
        ("methods.skipped", load(&slow.methods_skipped)),
        ("methods.guarded", load(&slow.methods_guarded)),
        ("sites", sites.into()),
        ("events", agent.run.writer.events()),
        ("events.dropped", agent.run.writer.dropped()),
        ("tally.dropped", agent.run.writer.lost_sums()),
        ("events.outside", load(&slow.events_outside)),
        ("events.stopped", load(&slow.events_stopped)),
        ("natives", load(&slow.natives)),
        ("callbacks", load(&slow.callbacks)),
        ("locks", lock::taken()),
        ("slow.entries", load(&slow.slow_entries)),
        ("slow.walks", load(&slow.walks)),
        ("slow.looks", load(&slow.looks)),
        ("slow.event_walks", load(&slow.event_walks)),
        ("slow.chain_repairs", load(&slow.chain_repairs)),
        ("slow.conversions", load(&slow.demotions)),
        ("demand.put_back", load(&agent.classes.demand.put_back)),
        ("demand.sleepers", load(&agent.classes.demand.lazy)),
        ("demand.woken", load(&agent.classes.demand.activated)),
        ("contexts.lost", load(&slow.lost)),
        ("entries.late", load(&slow.late)),
        ("abi.captures", load(&slow.abi_captures)),
        ("abi.events", load(&slow.abi_events)),
        ("abi.given", load(&slow.abi_given)),
        ("upcalls.held", load(&slow.upcalls)),
        ("frames.dropped", load(&slow.drops)),
        ("threads.stopped", load(&slow.stops)),
        ("verify.checks", load(&oracle.checks)),
        ("verify.incremental", load(&oracle.incremental)),
        ("verify.distinct", oracle.distinct() as u64),
        ("verify.mismatches", load(&oracle.mismatches)),
        ("verify.lost", load(&oracle.lost)),
        ("verify.unknown", load(&oracle.unknown)),
        ("verify.unanswered", load(&oracle.unanswered)),
        ("panics", boundary::panics()),
    ];
    values.extend(sources::figures(agent));
    if agent.options.leaks {
        values.push(("leaks.collections", lucce_leaks::old_collections()));
    }
    values
}

/// All counters, by name.
pub fn counters(agent: &Agent) -> Vec<(String, u64)> {
    let ((checked, stats), nodes, forgotten, stalls) =
        agent.graph.locked(|graph| (graph.figures(), graph.node_count(), graph.forgotten_nodes(), graph.stalls()));
    let tallies = agent.events.tallies.as_ref().map(|tallies| tallies.figures()).unwrap_or_default();
    let own = || GraphFigures { edges: stats.edges as u64, versions: stats.versions as u64, checked: checked as u64 };
    let GraphFigures { edges, versions, checked } = agent.encoder.graph_figures().unwrap_or_else(own);
    let mut values = unlocked(agent);
    values.extend([
        ("graph.edges", edges),
        ("graph.versions", versions),
        ("graph.cut_by_growth", stats.cut_by_growth),
        ("links.extended", stats.made.extended),
        ("links.repeated", stats.made.repeated),
        ("links.translated", stats.translations),
        ("stall.total_ns", stalls.total.as_nanos() as u64),
        ("stall.longest_ns", stalls.longest.as_nanos() as u64),
        ("contexts.captured", nodes as u64),
        ("contexts.forgotten", forgotten),
        ("risky.signatures", agent.classes.interposable.len() as u64),
        ("verify.edges", checked),
        ("calls.entered", agent.tables.calls.total()),
        ("tally.alloc", tallies.allocations),
        ("tally.alloc.bytes", tallies.bytes),
        ("tally.alloc.lost", tallies.lost_allocations),
        ("tally.entry", tallies.entries),
        ("tally.entry.lost", tallies.lost_entries),
        ("tally.records", tallies.records),
    ]);
    values.extend(agent.encoder.figures());
    values.extend(agent.events.profile.iter().flat_map(Profile::figures));
    let globs = agent.options.globs().into_iter();
    let globs = globs.map(|(option, glob)| (format!("glob.{option}={}", glob.text()), u64::from(glob.has_matched())));
    values.into_iter().map(|(name, value)| (name.to_string(), value)).chain(globs).collect()
}
