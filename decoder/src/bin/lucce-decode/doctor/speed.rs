//! What the agent does beside the fast path: slow entries, walks, looks, new versions; and what it
//! keeps.
//!
//! Invariant: a rate is judged only over a time that is longer than start-up, when everything is
//! new and slow.
//! Source: docs/BENCHMARKS.md, "What `lucce,hooks=all` counted": the thresholds are some ten times
//! what the DaCapo programs need.

use std::time::Duration;

use super::finding::{Case, Finding};
use crate::text;

/// Start-up meets most of the call graph; a rate over less says nothing about the run.
const STARTED: f64 = 10.0;
/// Counters of the slow path: most for a second of a run, most for an edge of the graph, what one
/// costs, and what helps. The DaCapo programs have at most 15 entries, one look and 0.2 walks for
/// an edge; a walk costs as the stack is deep.
const SLOW: [(&str, &str, f64, f64, &str, &str); 5] = [
    ("slow.entries", "slow entry", 10_000.0, 110.0, "each is a call into the agent, some microseconds", LEAVE_OUT),
    ("slow.walks", "stack walk", 1_000.0, 2.0, "each costs as the stack is deep", LEAVE_OUT),
    ("slow.looks", "look", 10_000.0, 20.0, "each asks the JVM for the topmost frames", LEAVE_OUT),
    ("slow.event_walks", "event walk", 1_000.0, 2.0, "each costs as the stack is deep", "sample less"),
    (
        "slow.chain_repairs",
        "chain repair",
        1_000.0,
        2.0,
        "each walks the stack after an exit that no hook saw",
        REPAIRS,
    ),
];
const LEAVE_OUT: &str = "leave out what makes classes all the time or is changed by another agent (exclude=<globs>)";
/// Below methods that sleep walks are what is meant, as long as they see no more frames a second
/// than this: from then on methods wake. Each walk sees one at least.
const MEANT: f64 = 200_000.0;
const REWRITE: &str = "sample less, or start the JVM with the agent and hooks=demand";
const AWAKE: &str = "let methods wake earlier (wake=<n>), or never sleep (awake=<globs>, hooks=all)";
const REPAIRS: &str = "leave out classes that throw all the time (exclude=<globs>)";
/// Links demoted because a signature became interposable: at most 160 in the DaCapo programs. Each
/// takes the agent's lock while a class loads.
const DEMOTIONS: u64 = 2_000;
/// A pause of all entries that a person can see; the longest of the DaCapo programs is 14 ms.
const LONGEST: Duration = Duration::from_millis(100);
/// Most of the run's time for new versions.
const STALLED: f64 = 0.01;
/// New versions: at most 9 in the DaCapo programs.
const VERSIONS: u64 = 90;
/// Captured contexts that are not forgotten are kept until the run ends: at tens of bytes each,
/// these are hundreds of megabytes.
const CAPTURED: u64 = 5_000_000;
/// Looks at the counters of the slow path and of what is kept.
pub fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let seconds = case.seconds().filter(|&seconds| seconds >= STARTED);
    let asleep = case.means_walks();
    for (name, noun, per_second, per_edge, why, remedy) in SLOW {
        let count = case.counter(name);
        let meant = asleep && name.ends_with("walks");
        let wake = || case.option("wake").and_then(|frames| frames.parse().ok()).unwrap_or(MEANT);
        let wakes = if case.is_without_hooks() { REWRITE } else { AWAKE };
        let (remedy, per_second) = if meant { (wakes, wake().max(per_second)) } else { (remedy, per_second) };
        let (much, over) = match seconds {
            Some(seconds) => (count as f64 / seconds, "a second"),
            None => (count as f64 / case.stats.edges.max(1) as f64, "for each edge of the call graph"),
        };
        // Without a time the first calls of a short run are no rate either.
        let limit = if seconds.is_some() { per_second } else { per_edge };
        if much >= limit && (seconds.is_some() || count as f64 >= per_second * STARTED) {
            let what = format!("{}, {} {over}", text::plural(count, noun), text::count(much as u64));
            found.push(Finding::change(name, count, what, why, remedy));
        }
    }
    let demotions = case.counter("slow.conversions");
    if demotions >= DEMOTIONS {
        let what = format!("{} converted while classes loaded", text::plural(demotions, "link"));
        let why = "each takes the agent's lock";
        found.push(Finding::note("slow.conversions", demotions, what, why, LEAVE_OUT));
    }
    found.extend(stalls(case, seconds));
    found.extend(kept(case));
    found
}

fn stalls(case: &Case<'_>, seconds: Option<f64>) -> Option<Finding> {
    let versions = case.stats.versions;
    let (total, longest) = (case.counter("stall.total_ns"), case.counter("stall.longest_ns"));
    let part = seconds.map(|seconds| total as f64 / 1e9 / seconds);
    let remedy = "instrument fewer classes (include=<globs>, exclude=<globs>)";
    let number = text::plural(versions, "version");
    if u128::from(longest) >= LONGEST.as_nanos() || part.is_some_and(|part| part >= STALLED) {
        let what = format!("{number}, the longest stall {}, {} in all", text::seconds(longest), text::seconds(total));
        let why = "threads that call something new wait for a new version";
        return Some(Finding::change("stall", longest, what, why, remedy));
    }
    (versions >= VERSIONS).then(|| {
        let why = "each makes links new, and the log explains each";
        Finding::note("versions", versions, format!("{number} of the numbering"), why, remedy)
    })
}

fn kept(case: &Case<'_>) -> Option<Finding> {
    let captured = case.counter("contexts.captured").max(case.stats.captured);
    (captured >= CAPTURED).then(|| {
        let what = format!("{} captured", text::plural(captured, "context"));
        let why = if captured.saturating_sub(case.counter("contexts.forgotten")) >= CAPTURED {
            "they stay in memory and in each file of the log"
        } else {
            "they stay in each file of the log"
        };
        let remedy = "capture less often, or leave out what recurs with ever new paths (exclude=<globs>)";
        Finding::change("contexts.captured", captured, what, why, remedy)
    })
}
