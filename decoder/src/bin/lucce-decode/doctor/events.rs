//! What became of events and their contexts: dropped, outside, lost, wrong.
//!
//! Invariant: a mismatch or a panic is never anything but a defect; every lost event is counted
//! with its reason.
//! Source: docs/FORMAT.md, "Words" (the reasons) and "What lucce-decode prints" (the counters);
//! docs/design/event-sources.md.

use std::collections::BTreeMap;

use lucce_decoder::Reason;
use lucce_words::Lost;

use super::finding::{Case, Finding, Level, REPORT, share};
use crate::text;

/// Events of the program's own that the log lacks on purpose: the counter, what became of them,
/// why, and what to do.
const NOT_TAKEN: [(&str, &str, &str, &str); 2] = [
    (
        "events.outside",
        "outside",
        "Lucce.event() was called with no frame with hooks on the stack",
        "include the classes that call it (include=<globs>)",
    ),
    (
        "events.stopped",
        "refused",
        "Lucce.event() was called before the start, behind the kill switch, or while events were stopped",
        "lucce-decode ctl <pid> start events, if they are wanted",
    ),
];

/// The sources with counters of their own, and how each samples less.
const SOURCES: [(&str, &str); 4] = [
    ("alloc", "sample less (alloc=<more bytes>)"),
    ("exceptions", "name the exceptions that matter (exceptions=<globs>)"),
    ("locks", "leave locks out where threads wait that often"),
    ("cpu", "tick less often (cpu=<longer interval>)"),
];
/// From this share of events on without an instrumented frame, the program's own part of the
/// profile is the smaller one.
const OUTSIDE: f64 = 0.5;
/// From this share of events on that walk the whole stack: a look at some frames is the rule, and a
/// walk costs as the stack is deep.
const WALKS: f64 = 0.1;
/// From this share of lost events on something is wrong with the run; single ones, whose shadow
/// stack did not fit their word, are met with `jdk=on`.
const LOST: f64 = 0.01;
/// Below this share of events what is missing is no finding.
const FEW: f64 = 0.001;
/// Fewer events than these say nothing about a share.
const ENOUGH: u64 = 100;

/// Looks at counters and at the ends of all traces.
pub fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut found = defects(case);
    let mut of_sources = 0_u64;
    for (source, less) in SOURCES {
        let of = |what: &str| case.counter(&format!("{source}.{what}"));
        let (events, dropped, outside, lost, walks) =
            (of("events"), of("dropped"), of("outside"), of("lost"), of("walks"));
        // Counters of a log may be any number.
        let all = [events, dropped, outside, lost].into_iter().fold(0, u64::saturating_add);
        of_sources = of_sources.saturating_add(dropped);
        if is_much(dropped, all) {
            found.push(drops(case, &format!("{source}.dropped"), dropped, all, source, less));
        }
        if all >= ENOUGH && outside as f64 >= OUTSIDE * all as f64 {
            let what = format!("{source}: {} outside", share(outside, all, "event"));
            let why = "no frame with hooks was on the stack, so they are not in the log";
            let remedy = "include more classes (include=<globs>), or the JDK's (jdk=on)";
            found.push(Finding::note(&format!("{source}.outside"), outside, what, why, remedy));
        }
        if is_much(lost, all) {
            let what = format!("{source}: {} lost", share(lost, all, "event"));
            let why = "their context could not be told for sure, and they are not in the log";
            let many = all >= ENOUGH && lost as f64 >= LOST * all as f64;
            let level = if many { Level::Change } else { Level::Note };
            let remedy = if many { REPORT } else { "nothing, as long as they are few" };
            found.push(Finding { level, ..Finding::change(&format!("{source}.lost"), lost, what, why, remedy) });
        }
        // Too many that are meant are a matter of speed.
        let meant = case.means_walks();
        if !meant && all >= ENOUGH && walks as f64 >= WALKS * all as f64 {
            let what = format!("{source}: whole stacks walked for {}", share(walks, all, "event"));
            let why = "each costs as the stack is deep";
            found.push(Finding::change(&format!("{source}.walks"), walks, what, why, less));
        }
    }
    let dropped = case.counter("events.dropped").saturating_sub(of_sources);
    let all = case.counter("events").max(case.stats.counts.events).saturating_add(dropped);
    // Where the disk was full that has been said, of all of them.
    if is_much(dropped, all) && case.log.refusal().is_none() {
        found.push(drops(case, "events.dropped", dropped, all, "events", "write fewer events"));
    }
    for (name, became, why, remedy) in NOT_TAKEN {
        let count = case.counter(name);
        if count > 0 {
            let what = format!("{} of the program's own {became}", text::plural(count, "event"));
            found.push(Finding::note(name, count, what, why, remedy));
        }
    }
    let (sums, all) =
        (case.counter("tally.dropped"), case.counter("tally.alloc").saturating_add(case.counter("tally.entry")));
    if is_much(sums, all.max(sums)) {
        found.push(drops(
            case,
            "tally.dropped",
            sums,
            all.max(sums),
            "counts",
            "count less (entries=<globs>, exclude=<globs>)",
        ));
    }
    for (name, noun) in [("tally.alloc.lost", "counted allocation"), ("tally.entry.lost", "counted invocation")] {
        let lost = case.counter(name);
        if lost > 0 {
            let what = format!("{} lost", text::plural(lost, noun));
            let why = "no memory was left for their records, and sums are too small by as much";
            let remedy =
                "give the process more memory outside the heap, or count less (entries=<globs>, exclude=<globs>)";
            found.push(Finding::change(name, lost, what, why, remedy));
        }
    }
    found.extend(lost(case));
    found
}

/// Is it a part that matters? Single events of millions change no sum that anybody looks at, and
/// `--stats` has them.
fn is_much(part: u64, all: u64) -> bool {
    part > 0 && part as f64 >= FEW * all as f64
}

fn drops(case: &Case<'_>, id: &str, dropped: u64, all: u64, source: &str, less: &str) -> Finding {
    let what = format!("{source}: {} dropped", share(dropped, all, "event"));
    let why = match case.log.refusal() {
        Some(_) => "the disk was full, and sums are too small by as much",
        None => "the log could not keep up, and sums are too small by as much",
    };
    let remedy = format!("{less}, or write to another disk (file=<path>)");
    Finding::change(id, dropped, what, why, &remedy)
}

/// What Lucce itself did wrong, or could not check.
fn defects(case: &Case<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let checks = case.counter("verify.checks");
    let mismatches = case.counter("verify.mismatches").max(case.log.mismatches().len() as u64);
    if mismatches > 0 {
        let what = format!("{} differed from the JVM's stack walk", share(mismatches, checks, "check"));
        found.push(Finding::change("verify.mismatches", mismatches, what, "traces of this run may be wrong", REPORT));
    }
    let panics = case.counter("panics");
    if panics > 0 {
        let what = format!("{} caught in the agent", text::plural(panics, "panic"));
        let why = "the program went on, contexts around them are lost";
        found.push(Finding::change("panics", panics, what, why, REPORT));
    }
    if checks == 0 && case.option("verify").is_some_and(|n| n != "0") && case.log.ended() {
        let why = "nothing that has hooks was entered as often";
        let remedy = "give verify=1, and see that include= names classes that run";
        found.push(Finding::change("verify.checks", 0, "verify made no check".into(), why, remedy));
    }
    for (name, why) in [
        ("verify.lost", "their context was lost before"),
        ("verify.unknown", "their hashed word means no path, so events there are walked"),
        ("verify.unanswered", "the JVM gave no stack walk, as while it ends"),
    ] {
        let count = case.counter(name);
        if count > 0 {
            let what = format!("{} could not be compared", share(count, checks, "check"));
            found.push(Finding::note(name, count, what, why, "nothing, if they are few"));
        }
    }
    found
}

/// Events by the reason why their context is not known, and contexts that were lost where no event
/// was.
fn lost(case: &Case<'_>) -> Vec<Finding> {
    let reasons = case.stats.counts.reasons.iter().filter(|(reason, _)| !reason.is_damage());
    let reasons: BTreeMap<String, (Reason, u64)> =
        reasons.map(|(&reason, &events)| (reason.to_string(), (reason, events))).collect();
    let mut found: Vec<Finding> = Vec::new();
    for (text, (reason, events)) in reasons {
        let (level, id, remedy) = remedy(reason);
        let what = format!("{}, {text}", share(events, case.stats.counts.events, "event"));
        let why = "their traces end early";
        found.push(Finding { level, ..Finding::change(&format!("lost.{id}"), events, what, why, remedy) });
    }
    let contexts = case.counter("contexts.lost");
    if contexts > 0 && found.is_empty() {
        let what = format!("{} lost, none of an event in this log", text::plural(contexts, "context"));
        let why = "what asked for one was told that it is unknown";
        found.push(Finding::note("contexts.lost", contexts, what, why, "nothing, if they are few"));
    }
    found
}

fn remedy(reason: Reason) -> (Level, &'static str, &'static str) {
    let Reason::Lost(reason) = reason else {
        return (Level::Note, "no-context", "include the classes that they came from (include=<globs>)");
    };
    match reason {
        Lost::Memory => (Level::Change, "memory", "give the process more memory outside the heap, or fewer threads"),
        Lost::Ids => (Level::Change, "ids", "instrument fewer classes (include=<globs>, exclude=<globs>)"),
        Lost::Hook => (Level::Change, "hook", REPORT),
        Lost::Chain => (Level::Change, "chain", REPORT),
        Lost::Death => (Level::Note, "death", "nothing, the JVM was ending"),
        Lost::Overflow => (
            Level::Change,
            "overflow",
            "leave encoder=algorithm1 out, whose numbers run out; without it instrument fewer classes (include=<globs>, exclude=<globs>)",
        ),
        Lost::Foreign => (
            Level::Change,
            "foreign",
            "keep the other agent away from these classes, or leave them out (exclude=<globs>)",
        ),
        Lost::OnCarrier => (Level::Note, "lent", "nothing, it is so with jdk=on; without jdk=on it does not happen"),
        Lost::Unseen => (Level::Note, "unseen", "nothing, if they are few; --stats counts the reasons (cpu.unknown)"),
        Lost::Rest => (
            Level::Note,
            "rest",
            "tick more often (cpu=<shorter interval>), if it is much: each thread's time since its last sample",
        ),
        Lost::Continuation => (Level::Note, "continuation", "nothing, the words of such activations are not kept"),
        Lost::Dropped => (Level::Note, "dropped", "nothing, it is so after a debugger has dropped frames"),
        Lost::Unheld => (Level::Note, "unheld", "nothing, the lock was free or its holder is a virtual thread"),
        Lost::Passed => (Level::Note, "passed", "nothing, the lock changed hands while the agent looked"),
        Lost::Ended => (Level::Note, "ended", "nothing, the run was ended by lucce-decode ctl ... kill"),
    }
}
