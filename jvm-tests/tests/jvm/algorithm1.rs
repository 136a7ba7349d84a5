//! `encoder=algorithm1` on real JVMs: exact within its limit, and at its limit it says which number
//! ran out.
//!
//! Invariant: what comes behind the limit is unknown, never another frame: no check ever differs.
//! Source: Lucce section 5; docs/design/published-encoders.md ("Algorithm 1").

use lucce_jvm_tests::{Jvm, MATRIX, Outcome, Run, Scratch, turn};

const OPTIONS: &str = "encoder=algorithm1,verify=1,exclude=hazards.plain.*";

fn run(jvm: &Jvm, target: &str) -> (Scratch, Outcome) {
    let scratch = Scratch::new(target, jvm.feature);
    let outcome = Run::hazard(jvm, target).within(&scratch).agent(OPTIONS).go();
    (scratch, outcome)
}

/// Runs a target on the JVM whose turn it is: it passes its own checks, and all of the agent's.
fn exact(target: &str) {
    for jvm in turn::of(target, &MATRIX) {
        let (_scratch, outcome) = run(&jvm, target);
        assert!(outcome.success(), "{target} fails on {}:\n{outcome}", jvm.feature);
        let counters = outcome.verified();
        let (edges, versions) = (counters.figure("edges"), counters.figure("versions"));
        assert!(
            edges > 10 && versions > edges,
            "no graph of Algorithm 1: {edges} edges, {versions} versions\n{counters}"
        );
    }
}

#[test]
fn exceptions_through_many_frames() {
    exact("ExceptionUnwind");
}

#[test]
fn exceptions_out_of_constructors() {
    exact("ConstructorThrows");
}

#[test]
fn exceptions_out_of_calls_of_super() {
    exact("FailingSupers");
}

#[test]
fn callbacks_out_of_collections_and_streams() {
    exact("Callbacks");
}

/// Only here do versions matter: one thread changes numbers while another stands below them.
#[test]
fn threads_that_change_the_graph_under_each_other() {
    exact("ParallelStreams");
}

#[test]
fn static_initialisers() {
    exact("StaticInit");
}

/// One Entered for each activation; that each call has one Calling is `classfile/tests/paper.rs`.
#[test]
fn each_activation_is_entered_once() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("activations", jvm.feature);
        let outcome = Run::hazard(&jvm, "Activations").within(&scratch).agent("encoder=algorithm1").go();
        assert!(outcome.success(), "{outcome}");
        let activations: u64 = outcome.stdout.trim().parse().expect("a number of activations");
        let counters = outcome.counters();
        assert_eq!(counters.counter("slow.entries"), activations, "{outcome}\n{counters}");
        assert!(activations > 100 && counters.complete(), "{counters}");
    }
}

/// Runs a target that passes the limit: it is told so once, goes on, and nothing decodes to another
/// frame.
fn exhausted(target: &str) {
    for jvm in turn::of(target, &MATRIX) {
        let (_scratch, outcome) = run(&jvm, target);
        let counters = outcome.counters();
        let told =
            outcome.stderr.lines().filter(|line| line.contains("encoder=algorithm1: callId exhausted at version"));
        assert_eq!(told.count(), 1, "{outcome}");
        assert_eq!(counters.mismatches(), 0, "{outcome}\n{counters}");
        let (exact, lost) = (counters.distinct(), counters.lost());
        assert!(exact > 5 && lost > 1_000, "{exact} exact, {lost} lost\n{counters}");
        assert!(counters.complete(), "{counters}");
    }
}

#[test]
fn recursion_at_two_sites_exhausts_the_call_ids_and_says_so_once() {
    exhausted("Fib");
}

#[test]
fn mutual_recursion_is_exact_until_the_call_ids_are_exhausted() {
    exhausted("Recursion");
}

#[test]
fn racing_threads_are_exact_until_the_call_ids_are_exhausted() {
    exhausted("Races");
}
