//! A process that ends without the JVM's saying so: native code calls the C library's `exit`.
//!
//! Invariant: its log is as complete as that of any other, and its exit status its own.
//! Source: docs/guide/production.md.

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, option, place};

const EVENTS: u64 = 1000;

/// The program under these options, which ends with status 3, and what it logged, which is all that
/// it made.
fn exits(jvm: &Jvm, options: &str, arguments: &[&str]) -> (Outcome, Scratch) {
    let scratch = Scratch::new("ending", jvm.feature);
    let library = option("-Dexits=", place().example("exits"));
    let run =
        Run::hazard(jvm, "NativeExit").within(&scratch).option(library).argument(EVENTS.to_string()).argument("3");
    let outcome = arguments.iter().fold(run, |run, argument| run.argument(argument)).agent(options).go();
    assert_eq!(outcome.status.and_then(|status| status.code()), Some(3), "{outcome}");
    let counters = outcome.counters();
    assert!(counters.complete() && counters.counter("panics") == 0, "on {}: {counters}\n{outcome}", jvm.feature);
    (outcome, scratch)
}

fn count(outcome: &Outcome, kind: &str) -> u64 {
    decode(outcome.log()).events().iter().filter(|event| event["kind"] == kind).count() as u64
}

#[test]
fn native_code_that_calls_exit_loses_nothing() {
    for jvm in Jvm::all() {
        let (outcome, _scratch) = exits(&jvm, "alloc=all", &[]);
        assert_eq!(count(&outcome, "work"), EVENTS, "on {}:\n{outcome}", jvm.feature);
        let counters = outcome.counters();
        assert_eq!(counters.counter("tally.alloc"), EVENTS, "on {}: {counters}", jvm.feature);
    }
}

#[test]
fn a_child_that_native_code_forks_leaves_the_log_alone() {
    for jvm in Jvm::all() {
        let (outcome, _scratch) = exits(&jvm, "quiet", &["child"]);
        assert_eq!(outcome.stdout, "a child ended by 3\n");
        assert!(outcome.said().is_empty(), "the child has nothing to say of it:\n{outcome}");
        assert_eq!(count(&outcome, "work"), 2 * EVENTS, "on {}:\n{outcome}", jvm.feature);
    }
}
