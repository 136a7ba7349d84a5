//! Whether threads of the application can wait for each other in the agent: a test build of it
//! panics when locks are not taken in one order, or held while the JVM is called, whether or not
//! two threads meet.
//!
//! Invariant: programs in which the agent does all it can at once do not make it panic.
//! Source: ARCHITECTURE ("The agent, by room").

use lucce_jvm_tests::{Jvm, Run, Scratch, place};

/// Runs a target under the test build with every feature release that it is for.
fn ordered(target: &str, options: &str, arguments: &[&str], features: &[u32]) {
    beside("", target, options, arguments, features);
}

/// The same beside the other agent, with its argument.
fn beside(other: &str, target: &str, options: &str, arguments: &[&str], features: &[u32]) {
    for jvm in features.iter().filter_map(|&feature| Jvm::of(feature)) {
        let scratch = Scratch::new(&format!("locks-{target}-{}", options.len()), jvm.feature);
        let run = Run::hazard(&jvm, target).within(&scratch).library("asm-9.7.1");
        let run = arguments.iter().fold(run, |run, argument| run.argument(*argument));
        let outcome = run.without(&[], options).option(place().other_agent(other)).go();
        assert!(outcome.success(), "{target} on {}:\n{outcome}", jvm.feature);
        let counters = outcome.counters();
        assert_eq!(counters.counter("panics"), 0, "{target} on {}:\n{outcome}\n{counters}", jvm.feature);
    }
}

/// One thread forgot the classes that were gone while another gave numbers to new ones, and both
/// waited for ever.
#[test]
fn classes_are_forgotten_while_others_are_loaded() {
    // Few of them: the agent panics at the first lock that is taken out of order, whether or not it
    // is held.
    ordered("Unloading", "quiet", &["600", "2"], &[17, 25]);
    ordered("Unloading", "hooks=all,quiet", &["600", "2"], &[17]);
    ordered("Unloading", "alloc=all,entries=hazards.*,exceptions,quiet", &["600", "2"], &[17]);
    ordered("Unloading", "alloc=all,entries=hazards.*,exceptions,encoder=lucce", &["600", "2"], &[25]);
    ordered("TwoLoaders", "wake=1", &[], &[17]);
}

#[test]
fn classes_are_retransformed_while_methods_are_woken() {
    ordered("Retransform", "wake=1", &[], &[11, 17, 21, 25]);
    ordered("Races", "wake=1,awake=hazards.Check", &[], &[17, 25]);
}

/// What had put its own code before a prologue was asked for its name under a lock.
#[test]
fn methods_are_changed_behind_lucce() {
    beside("=enter", "Reshaped", "verify=1,exclude=hazards.plain.*:org.objectweb.*", &[], &[17, 25]);
    beside("=quiet", "Reshaped", "hooks=demand,wake=20,exclude=hazards.plain.*:org.objectweb.*", &[], &[17]);
}

#[test]
fn all_sources_and_checks_at_once() {
    ordered("Thrown", "verify=100,alloc=4k,exceptions,locks,cpu=1ms", &["30"], &[17]);
    ordered("Thrown", "verify=100,alloc=4k,exceptions,locks,cpu=1ms", &["30", "2"], &[25]);
    ordered("Contended", "alloc=4k,exceptions,locks,cpu=1ms,jdk=on", &["10"], &[17, 25]);
    ordered("Counted", "alloc=all,entries=hazards.*", &[], &[17]);
    ordered("Counted", "alloc=all,entries=hazards.*,encoder=lucce", &[], &[25]);
    ordered("Tasks", "entries=hazards.*,alloc=1k,leaks", &[], &[25]);
    ordered("Tasks", "entries=hazards.*,alloc=1k,leaks,encoder=lucce", &[], &[17]);
}

#[test]
fn every_encoder() {
    for encoder in ["algorithm1", "cct", "pcc"] {
        ordered("Thrown", &format!("encoder={encoder},alloc=4k"), &["30"], &[17]);
    }
}
