//! The run itself: versions, options, and whether the log is whole.
//!
//! Invariant: a log that is not complete has a finding here.
//! Source: docs/FORMAT.md, "Header" and "Damage"; docs/guide/options.md.

use lucce_decoder::Loss;

use super::finding::{Case, Finding, Level};
use crate::state::State;
use crate::text;

/// The oldest JVM that has what Lucce needs (JEP 331, sampled allocations).
pub const OLDEST: u32 = 11;
/// The newest class files that the agent reads are those of this release (major version 69).
const NEWEST: u32 = 25;

/// Looks at header and end.
pub fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut found = whole(case);
    let Some(header) = case.log.header() else { return found };
    let own = concat!("lucce ", env!("CARGO_PKG_VERSION"));
    if header.agent != own {
        let what = format!("written by {}, read by lucce-decode {}", header.agent, env!("CARGO_PKG_VERSION"));
        let why = "what only one of them knows is passed over";
        found.push(Finding::note("agent.version", 1, what, why, "take agent and decoder from one release"));
    }
    if let Some(feature) = feature(&header.jvm) {
        if feature < OLDEST {
            let what = format!("the JVM is {}", header.jvm);
            let remedy = "run it on HotSpot 11 or newer";
            found.push(Finding::change("jvm.version", feature.into(), what, "Lucce needs HotSpot 11", remedy));
        } else if feature > NEWEST {
            let what = format!("the JVM is {}", header.jvm);
            let why =
                format!("this Lucce knows class files up to those of JDK {NEWEST} and leaves newer ones as they are");
            let remedy = "take a Lucce that names this JVM, or compile with an older --release";
            found.push(Finding::note("jvm.version", feature.into(), what, &why, remedy));
        }
    }
    match header.encoder.as_str() {
        "none" | "count" => {
            let what = format!("encoder={} keeps no contexts", header.encoder);
            found.push(Finding::change("encoder", 1, what, "it is for benchmarks", "leave encoder out"));
        }
        "algorithm1" | "cct" => {
            let what = format!("encoder={} ran", header.encoder);
            let why = "it is there to compare with, and slower";
            found.push(Finding::note("encoder", 1, what, why, "leave encoder out in production"));
        }
        _ => {}
    }
    if !case.trial
        && let Some(n) = case.option("verify").and_then(|value| value.parse::<u64>().ok()).filter(|&n| n > 0)
    {
        let of = if n == 1 { "every entry".to_owned() } else { format!("one of {}", text::plural(n, "entry")) };
        let what = format!("verify={n} walks the stack for {of}");
        found.push(Finding::note("verify", n, what, "that is for tests", "leave verify out in production"));
    }
    if case.stats.counts.events == 0
        && !case.trial
        && !case.has_source()
        && !matches!(header.encoder.as_str(), "none" | "count")
    {
        let why = "the log has contexts, and nothing that happened in them";
        let remedy = "add a source (alloc=512k, exceptions, locks, cpu=10ms, leaks), or call Lucce.event()";
        found.push(Finding::note("events", 0, "no event source was asked for".into(), why, remedy));
    } else if case.stats.classes == 0
        && header.options.split(',').any(|option| option == "start=off")
        && !case.says("started late: ")
    {
        let why = "nothing is instrumented until it is told to start";
        let remedy = "lucce-decode ctl <pid> start, or leave start=off out";
        found.push(Finding::change("start", 0, "start=off, and it was not started".into(), why, remedy));
    } else if case.state == State::Written && case.stats.counts.events == 0 {
        // What is not there yet may come.
    } else if case.stats.classes == 0
        && !matches!(header.encoder.as_str(), "none" | "count")
        && !case.is_without_hooks()
        // Who was told to give the classes back may have done so before one of them ran.
        && !case.says("killed: ")
    {
        let why = "nothing is instrumented, so no event has a context";
        let remedy = "compare include= and exclude= with the names of the program's classes, or give jdk=on";
        found.push(Finding::change("classes", 0, "no class has hooks".into(), why, remedy));
    } else if case.stats.counts.events == 0 && !case.trial {
        let why = "nothing happened that was asked for";
        let remedy = "run it longer, or ask for more (alloc=<fewer bytes>, exceptions, locks, cpu=10ms)";
        found.push(Finding::note("events", 0, "no events".into(), why, remedy));
    }
    found.extend(globs(case));
    found.extend(leaks(case));
    if let Some(next) = case.log.next() {
        // The log names a file beside itself.
        let beside = case.path.map_or_else(|| next.into(), |path| path.with_file_name(next));
        let (what, remedy) =
            (format!("the run goes on in {next}"), format!("lucce-decode doctor {}", beside.display()));
        found.push(Finding::note("log.next", 1, what, "what is said here is about this file", &remedy));
    }
    for remark in case.log.notes() {
        let what = format!("the agent says: {}", remark.lines().next().unwrap_or_default());
        found.push(Finding::note(
            "remark",
            1,
            what,
            "it was written while the program ran",
            "lucce-decode --stats has all",
        ));
    }
    found
}

/// Globs that have matched nothing. Only the end of a run tells.
fn globs(case: &Case<'_>) -> Vec<Finding> {
    let idle = case.stats.counters.iter().filter(|(_, matched)| **matched == 0);
    let named = idle.filter_map(|(name, _)| name.strip_prefix("glob."));
    let found = named.map(|glob| {
        let spelling = "compare it with the names, which have dots, and stars for the rest";
        let (level, what, remedy) = match glob.split('=').next().unwrap_or(glob) {
            "include" => {
                (Level::Change, "no class that was loaded", "compare it with the classes' names; the JDK's need jdk=on")
            }
            "entries" => (Level::Change, "no method with hooks", spelling),
            "awake" => (Level::Note, "no method with hooks", spelling),
            "exceptions" => (Level::Note, "no exception that was thrown", "nothing, if none should have been"),
            _ => (Level::Note, "no class that was loaded", "nothing, if none was meant to be there"),
        };
        let why = format!("it matched {what}");
        Finding { level, ..Finding::change(&format!("glob.{glob}"), 0, format!("{glob} is idle"), &why, remedy) }
    });
    found.collect()
}

/// Too few collections for a leak to show.
fn leaks(case: &Case<'_>) -> Option<Finding> {
    let seen = case.stats.counters.get("leaks.collections").copied()?;
    (seen < FEWEST_COLLECTIONS).then(|| {
        let what = format!("leaks: {seen} of {FEWEST_COLLECTIONS} old collections seen");
        Finding::note("leaks.collections", seen, what, "no leak can show before", CAUSE_COLLECTION)
    })
}

/// Old collections after which a leak can show (leaks/src/growth.rs).
pub const FEWEST_COLLECTIONS: u64 = 6;
/// How to cause one.
pub const CAUSE_COLLECTION: &str = "run it longer, or cause some: jcmd <pid> GC.run (not with -XX:+DisableExplicitGC)";

/// Cut, damaged, or neither.
fn whole(case: &Case<'_>) -> Vec<Finding> {
    let log = case.log;
    let mut found = Vec::new();
    if let Some(refusal) = log.refusal() {
        let what = format!("the disk was full, {} dropped", text::plural(refusal.dropped, "event"));
        let why = if case.state == State::Full {
            "the log has no end, and sums are too small"
        } else {
            "sums are too small by as much"
        };
        let remedy = "free some space, write to another disk (file=<path>), or keep less (rotate=<bytes>, keep=<n>)";
        found.push(Finding::change("disk.full", refusal.dropped, what, why, remedy));
    }
    if log.is_complete() {
        return found;
    }
    if case.state == State::Written {
        let what = format!("still being written, {} so far", text::size(log.bytes()));
        let why = "what is said here is of the run so far";
        found.push(Finding::note("log.written", log.bytes(), what, why, "ask again when it has ended"));
        return found;
    }
    if !log.ended() && case.state != State::Full {
        let what = format!("cut log, no end record in {}", text::size(log.bytes()));
        let (why, remedy) = match case.state {
            State::Killed => {
                ("the JVM was killed, and its last events are missing", "end it with SIGTERM or System.exit")
            }
            _ => (
                "the JVM was killed or still runs, and its last events are missing",
                "end it with SIGTERM or System.exit, or ask again when it has ended",
            ),
        };
        found.push(Finding::change("log.cut", log.bytes(), what, why, remedy));
    }
    let damage: Vec<_> = log.damage().iter().collect();
    let loss = log.loss();
    if let Some(first) = damage.first() {
        let more = if damage.len() > 1 {
            format!(", and {} more", text::plural(damage.len() as u64 - 1, "place"))
        } else {
            String::new()
        };
        let what = format!("damaged log, {first}{more}");
        let why = format!("{} cannot be decoded", text::plural(case.stats.counts.undecodable_events, "event"));
        let remedy = if log.meets_another() {
            "split the file where the other log begins"
        } else {
            "copy the file again or take another disk; a smaller keyframe=<bytes> saves more behind damage"
        };
        found.push(Finding::change("log.damaged", damage.len() as u64, what, &why, remedy));
    } else if loss != &Loss::default() {
        let unusable = loss.records + loss.versions + loss.malformed;
        let what = format!(
            "{} and {} unusable",
            text::plural(unusable, "record"),
            text::plural(loss.undecodable_events(), "event")
        );
        let why = "every block is whole, and yet it does not fit";
        found.push(Finding::change("log.unusable", unusable, what, why, super::finding::REPORT));
    }
    found
}

/// The feature release in a JVM's name and version (`OpenJDK 64-Bit Server VM 25.0.1+8`).
pub fn feature(jvm: &str) -> Option<u32> {
    let version = jvm.rsplit(' ').next()?;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
