//! `verify=<time>`: one entry and one event in that time are compared with the JVM's own walk.
//!
//! Invariant: what is not due is not walked, be it a first use.
//! Source: docs/guide/verification.md.

use lucce_jvm_tests::{Counters, Jvm, MATRIX, Run, Scratch, turn};

fn run(jvm: &Jvm, target: &str, options: &str) -> (Counters, String) {
    let scratch = Scratch::new(target, jvm.feature);
    let outcome = Run::hazard(jvm, target).within(&scratch).agent(options).go();
    assert!(outcome.success(), "{outcome}");
    let counters = outcome.counters();
    assert!(counters.complete() && counters.mismatches() == 0 && counters.lost() == 0, "{outcome}\n{counters}");
    let text = format!("{outcome}\n{counters}");
    (counters, text)
}

#[test]
fn a_time_that_does_not_pass_has_one_entry_and_one_event_compared() {
    for encoder in ["lucce", "algorithm1", "cct", "pcc", "icpp"] {
        for jvm in turn::of(encoder, &MATRIX) {
            let (counters, text) = run(&jvm, "Activations", &format!("encoder={encoder},verify=3600s"));
            assert_eq!(counters.checks(), 1, "{text}");
        }
    }
    for jvm in Jvm::all() {
        let (counters, text) = run(&jvm, "Thrown", "exceptions,verify=3600s");
        assert_eq!(counters.checks(), 2, "{text}");
        let (counters, text) = run(&jvm, "Counted", "entries=hazards.*,verify=3600s");
        assert_eq!(counters.checks(), 1, "{text}");
    }
}

#[test]
fn a_time_that_passes_again_and_again_has_as_many_compared() {
    for jvm in Jvm::all() {
        let (every, _) = run(&jvm, "ExceptionUnwind", "verify=1");
        let (timed, text) = run(&jvm, "ExceptionUnwind", "verify=100us");
        assert!(timed.checks() > 1 && timed.checks() < every.checks(), "{}: {text}", every.checks());
    }
}
