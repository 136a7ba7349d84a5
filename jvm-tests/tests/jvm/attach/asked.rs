//! What programs ask of an agent that rewrites no class: contexts as numbers, events, traces.
//!
//! Invariant: each context equals the stack that the JVM itself makes on the same line, JDK's and
//! native frames included; and a number stands for one stack as long as the program runs, whichever
//! agents come and leave. The programs compare both, and so is each event in the log.
//! Source: docs/guide/attach.md; docs/design/attach.md ("The Java API").

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lucce_jvm_tests::{Jvm, Run, Scratch, decode, place};

use super::running::Running;
use super::{agree, stack, whole};

/// The hazard `Asking`, without an agent at first, and with these arguments behind its files.
pub fn asking(name: &str, feature: u32, further: &[&str]) -> Option<Running> {
    let jvm = Jvm::of(feature)?;
    let scratch = Scratch::new(name, feature);
    let run = Run::hazard(&jvm, "Asking").within(&scratch);
    let run = run.argument(scratch.file("end")).argument(scratch.file("stacks"));
    let run = further.iter().fold(run, |run, argument| run.argument(*argument));
    let running = Running::start(&mut run.command(), scratch);
    assert_eq!(running.began, "started");
    Some(running)
}

/// Agents come and leave, one after the other; their logs.
pub fn asks_twice(running: &Running, options: &str) -> [PathBuf; 2] {
    ["first.log", "second.log"].map(|name| asks(running, name, options))
}

fn asks(running: &Running, name: &str, options: &str) -> PathBuf {
    let log = running.attached(name, options);
    running.waits_for(&["events"], 3000);
    running.leaves(&log);
    log
}

/// The stacks of the program's own events, each of which has one.
fn stacks(log: &Path) -> BTreeSet<String> {
    decode(log).events().iter().filter(|event| event["owner"] == "program").map(stack).collect()
}

/// What the program has written.
fn seen(scratch: &Scratch) -> BTreeSet<String> {
    fs::read_to_string(scratch.file("stacks")).expect("written").lines().map(str::to_owned).collect()
}

fn is_answered(name: &str, feature: u32, further: &[&str]) {
    let Some(mut running) = asking(name, feature, further) else { return };
    let mut logs = asks_twice(&running, "verify=1,quiet").to_vec();
    // Another library, whose numbers begin behind those of the first.
    let copy = running.scratch.file("copy.so");
    fs::copy(&place().agent, &copy).expect("copied");
    running.library = copy;
    logs.push(asks(&running, "third.log", "verify=1,alloc=256k,quiet"));
    let (printed, complaints, scratch) = running.ended();
    assert!(!complaints.contains("internal error") && !printed.contains("[warning]"), "{printed}{complaints}");
    let seen = seen(&scratch);
    for log in &logs {
        whole(log);
        agree(&stacks(log), &seen, feature);
        let counters = decode(log).counters();
        assert!(counters.kind("here") > 100 && counters.kind("asked") > 100, "{counters}");
    }
}

#[test]
fn a_program_that_asks_before_an_agent_comes_is_answered_while_it_is_there() {
    lucce_jvm_tests::MATRIX.into_iter().for_each(|feature| is_answered("asking", feature, &[]));
}

#[test]
fn a_virtual_thread_that_asks_is_answered_while_an_agent_is_there() {
    [21, 25].into_iter().for_each(|feature| is_answered("asking-virtual", feature, &["virtual"]));
}

/// Each context of the program `Walked`, from the start.
fn walked(feature: u32, further: &[&str]) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("walked", feature);
    let run = || {
        let run = Run::hazard(&jvm, "Walked").within(&scratch).argument(scratch.file("stacks"));
        further.iter().fold(run, |run, argument| run.argument(*argument))
    };
    let plain = run().go();
    let outcome = run().agent("hooks=off,verify=1,quiet").go();
    assert!(outcome.success() && plain.stdout == outcome.stdout, "on {feature}:\n{plain}\n{outcome}");
    // The line of the checks.
    assert!(plain.stderr.is_empty() && outcome.said().len() == 1 && outcome.stderr.lines().count() == 1, "{outcome}");
    outcome.verified();
    whole(outcome.log());
    let points = outcome.stdout.split(' ').next().and_then(|points| points.parse().ok());
    let counters = decode(outcome.log()).counters();
    assert_eq!([counters.kind("here"), counters.kind("earlier")].map(Some), [points; 2], "{counters}");
    agree(&stacks(outcome.log()), &seen(&scratch), feature);
}

#[test]
fn a_context_is_the_stack_of_the_jvm_wherever_it_is_asked_for() {
    lucce_jvm_tests::MATRIX.into_iter().for_each(|feature| walked(feature, &[]));
}

#[test]
fn a_context_of_a_virtual_thread_is_the_stack_of_the_jvm() {
    [21, 25].into_iter().for_each(|feature| walked(feature, &["virtual"]));
}
