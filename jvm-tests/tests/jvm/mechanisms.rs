//! Each mechanism of exactness, shown to be needed: the same small program is right with it and
//! wrong without.
//!
//! Invariant: the oracle objects exactly when the mechanism is switched off, which only a test
//! build of the agent can do. So this also shows that the oracle can go red.
//! Source: docs/design/mechanisms.md.

use std::fs;

use lucce_jvm_tests::{COMPARED, Run, Scratch, decode, place, turn};

use crate::attach::asked::{asking, asks_twice};
use crate::attach::running::Running;
use crate::attach::stacks;

const OPTIONS: &str = "verify=1,exclude=hazards.plain.*";

/// Runs `Mechanisms` for `mechanism` below a recursion of `depth` levels, as it is, and without all
/// of `switched_off`, where more than `bearable` checks must go wrong.
fn needed(mechanism: &str, switched_off: &[&str], depth: u32, bearable: u64) {
    for jvm in turn::of(mechanism, &COMPARED) {
        let feature = jvm.feature;
        let scratch = Scratch::new(&format!("{mechanism}-{depth}"), feature);
        let run = || {
            let run = Run::hazard(&jvm, "Mechanisms").within(&scratch);
            run.option(format!("-Dmechanism={mechanism}")).option(format!("-Ddepth={depth}")).option("-Xss16m")
        };
        let right = run().agent(OPTIONS).go();
        assert!(right.success(), "{mechanism} on {feature}:\n{right}");
        right.verified();
        let wrong = run().without(switched_off, OPTIONS).go();
        let counters = wrong.counters();
        assert!(
            counters.mismatches() > bearable,
            "nothing is wrong without {mechanism} on {feature}:\n{wrong}\n{counters}"
        );
        for counters in [right.counters(), counters] {
            let incremental = counters.counter("verify.incremental");
            assert_eq!(incremental > 0, depth > 0, "{incremental} incremental checks on {feature}:\n{counters}");
        }
    }
}

macro_rules! mechanisms {
    ($($name:ident: $($off:literal),+;)*) => { $(
        #[test]
        fn $name() {
            needed(stringify!($name), &[$($off),+], 0, 0);
        }
    )* };
}

mechanisms! {
    clear: "clear";
    clear_at_start: "clear_at_start";
    guard: "guard";
    untrusted: "untrusted";
    look: "look";
    interposable_exit: "interposable_exit";
    demotion: "demotion";
    exceptional_store: "exceptional_store";
    restore_at_exit: "restore_at_exit";
    handler_before_super: "handler_before_super";
    handler_after_super: "handler_after_super";
    constructor_exit_store: "constructor_exit_store";
    // Either of the two is enough by itself.
    constructor_unknown_at_super: "constructor_unknown_at_super", "weak_init";
}

/// Levels of recursion above which the checks at the bottom are incremental.
const DEEP: u32 = 1000;

#[test]
fn what_goes_wrong_below_deep_recursion_is_seen() {
    needed("clear_briefly", &["clear"], DEEP, 0);
    needed("exceptional_store", &["exceptional_store"], DEEP, 0);
}

/// The one error that incremental checks do not see: an activation has left its entry behind, and
/// another one of the same method at the same place goes on. The next whole check sees it, and so
/// does every check from then on, some hundreds; two more go wrong at the end of the program.
#[test]
fn an_entry_left_behind_within_deep_recursion_is_seen_by_the_next_whole_check() {
    needed("restore_in_recursion", &["restore_at_exit"], DEEP, 300);
}

/// What an agent without hooks records where each context is compared.
const WALKED: &str = "alloc=64k,verify=1,quiet";

/// Without hooks: a class is redefined, and what was remembered of its methods goes.
#[test]
fn moved() {
    let options = format!("hooks=off,{WALKED}");
    for jvm in turn::of("moved", &COMPARED) {
        let scratch = Scratch::new("moved", jvm.feature);
        let run = || {
            let run = Run::hazard(&jvm, "MovedLines").within(&scratch).library("asm-9.7.1");
            run.option(place().other_agent("")).argument(scratch.file("stacks"))
        };
        run().agent(&options).go().verified();
        let counters = run().without(&["moved"], &options).go().counters();
        assert!(counters.mismatches() > 0, "nothing is wrong on {}: {counters}", jvm.feature);
    }
}

/// An agent of a test build comes into a program and leaves it; once more with the mechanism
/// switched off. How many contexts of that run were wrong by the oracle, and how many stacks are
/// none that the program has seen.
fn attached(mechanism: &str, feature: u32) -> Option<(u64, usize)> {
    let jvm = lucce_jvm_tests::Jvm::of(feature)?;
    let mut running = Running::hazard(mechanism, &jvm, &[]);
    running.library.clone_from(&place().faulty_agent);
    let [right, wrong] = ["".to_owned(), format!("fault={mechanism},")].map(|fault| {
        let log = running.attached(if fault.is_empty() { "right.log" } else { "wrong.log" }, &(fault + WALKED));
        running.waits_for(&["alloc.events"], 500);
        running.leaves(&log);
        log
    });
    let (seen, _, _scratch) = running.end();
    let of = |log| (decode(log).counters().mismatches(), stacks(log).difference(&seen).count());
    assert_eq!(of(&right), (0, 0), "on {feature}");
    Some(of(&wrong))
}

/// Methods that the JVM leaves out of its own traces are left out: since 21, `Thread.run` calls
/// one.
#[test]
fn unshown() {
    let Some((_, strange)) = attached("unshown", 21) else { return };
    assert!(strange > 0, "all stacks are such that the program has seen");
}

/// The numbers of captured contexts go on from run to run, for programs keep them.
#[test]
fn numbers() {
    for (fault, right) in [("", true), ("fault=numbers,", false)] {
        let Some(mut running) = asking("numbers", 17, &[]) else { return };
        running.library.clone_from(&place().faulty_agent);
        asks_twice(&running, &format!("{fault}quiet"));
        fs::write(running.scratch.file("end"), "").expect("written");
        let (status, printed, _) = running.program.end();
        assert_eq!(status.success(), right, "{fault}: {printed}");
    }
}

/// The catalogue goes from run to run, for threads remember its ids.
#[test]
fn handed_on() {
    let Some((mismatches, _)) = attached("handed_on", 17) else { return };
    assert!(mismatches > 0, "no context is wrong");
}
