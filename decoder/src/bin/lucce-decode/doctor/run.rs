//! The run itself: versions, options, and whether the log is whole.
//!
//! Invariant: a log that is not complete has a finding here.
//! Source: docs/FORMAT.md, "Header" and "Damage"; docs/guide/options.md.

use lucce_decoder::Loss;

use super::finding::{Case, Finding};
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
    if case.stats.classes == 0 && !matches!(header.encoder.as_str(), "none" | "count") {
        let why = "nothing is instrumented, so no event has a context";
        let remedy = "compare include= and exclude= with the names of the program's classes, or give jdk=on";
        found.push(Finding::change("classes", 0, "no class has hooks".into(), why, remedy));
    } else if case.stats.events == 0 && !case.trial {
        let why = "no source was on, or nothing happened";
        let remedy = "name a source (alloc=512k, exceptions, locks, cpu=10ms), or call Lucce.event()";
        found.push(Finding::note("events", 0, "no events".into(), why, remedy));
    }
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

/// Cut, damaged, or neither.
fn whole(case: &Case<'_>) -> Vec<Finding> {
    let log = case.log;
    if log.is_complete() {
        return Vec::new();
    }
    let mut found = Vec::new();
    if !log.ended() {
        let what = format!("cut log, no end record in {}", text::size(log.bytes()));
        let why = "the JVM was killed or still runs, and its last events are missing";
        let remedy = "end it with SIGTERM or System.exit, or ask again when it has ended";
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
        let why = format!("{} cannot be decoded", text::plural(case.stats.undecodable_events, "event"));
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
