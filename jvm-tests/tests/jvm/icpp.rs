//! `encoder=icpp` on real JVMs: words of names or sizes, which walks teach.
//!
//! Invariant: mixed words tell no wrong path. Sizes may; what is then ambiguous is found out by walks, and walked from then on.
//! Source: docs/design/icpp.md.

use lucce_jvm_tests::{Jvm, option, place};

use crate::pcc;

/// All sources whose events stand anywhere.
const MIXED: &str = "encoder=icpp,icpp=mixed,verify=1,alloc=16k,exceptions,locks,cpu=1ms";

/// Hazards whose every check is of a context that a walk would tell the same.
fn right(targets: &[&str]) {
    let Some(jvm) = Jvm::of(17) else { return };
    for target in targets {
        pcc::run(&jvm, target, MIXED, |run| run);
    }
}

#[test]
fn mixed_words_say_no_wrong_path_in_recursion_and_behind_exceptions() {
    right(&["Recursion", "ExceptionUnwind", "ConstructorThrows", "FailingSupers", "EarlyReturns", "Mechanisms"]);
}

#[test]
fn mixed_words_say_no_wrong_path_below_what_the_jvm_calls() {
    right(&["StaticInit", "StaticInterposer", "Loaders", "Condy", "Callbacks", "Reflection", "Handles", "Cleaning"]);
}

#[test]
fn mixed_words_say_no_wrong_path_in_threads() {
    right(&["Races", "ThreadPools", "ThreadBases", "ParallelStreams"]);
}

#[test]
fn mixed_words_say_no_wrong_path_in_odd_classes() {
    right(&[
        "OldClasses",
        "FarLocals",
        "WideNames",
        "AnonymousClasses",
        "Unloading",
        "TwoLoaders",
        "Delegation",
        "Members",
    ]);
}

#[test]
fn mixed_words_say_no_wrong_path_where_other_agents_rewrite_and_native_code_calls() {
    let Some(jvm) = Jvm::of(17) else { return };
    pcc::run(&jvm, "Retransform", MIXED, |run| run.option(place().other_agent("")));
    pcc::run(&jvm, "JniUpcalls", MIXED, |run| run.option(option("-Dupcalls=", place().upcalls())));
}
