//! A warmed-up program without new code, edges, threads or events costs nothing but its hooks.
//!
//! Invariant: not one byte is added to the log, no slow entry is taken, and new versions stop.
//! Source: issue "From `java -agentpath` to the decoded stack trace", *Quiet*.

#![forbid(unsafe_code)]

use lucce_jvm_tests::{Counters, Jvm, Run, Scratch};

/// Runs the warm program for that many rounds of warm-up and as many after it; the sizes of the log that it saw.
fn warm(jvm: &Jvm, rounds: u32) -> (Vec<u64>, Counters) {
    let scratch = Scratch::new("quiet", jvm.feature);
    let log = scratch.file("events.log");
    let run = Run::hazard(jvm, "Warm").within(&scratch).agent("quiet").argument(&log).argument(rounds.to_string());
    let outcome = run.go();
    assert!(outcome.success(), "{outcome}");
    let sizes = outcome.stdout.split_whitespace().map(|size| size.parse().expect("a size")).collect();
    (sizes, outcome.counters())
}

fn check(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let (sizes, short) = warm(&jvm, 400);
    assert!(sizes.len() == 5 && sizes[0] > 0, "{sizes:?}");
    assert!(sizes.iter().all(|size| *size == sizes[0]), "the log grew on {feature}: {sizes:?}");
    let (_, long) = warm(&jvm, 1200);
    for counter in ["slow.entries", "slow.walks", "slow.looks", "slow.conversions", "graph.edges"] {
        let (short, long) = (short.counter(counter), long.counter(counter));
        assert!(
            long <= short + short / 10,
            "{counter} grew from {short} to {long} with three times the rounds on {feature}"
        );
    }
    let versions = long.figure("versions");
    assert!(versions <= short.figure("versions") + 1 && versions <= 24, "{versions} versions on {feature}");
}

#[test]
fn a_warmed_up_program_adds_no_byte_on_11() {
    check(11);
}

#[test]
fn a_warmed_up_program_adds_no_byte_on_17() {
    check(17);
}

#[test]
fn a_warmed_up_program_adds_no_byte_on_21() {
    check(21);
}

#[test]
fn a_warmed_up_program_adds_no_byte_on_25() {
    check(25);
}
