//! Each mechanism of exactness, shown to be needed: the same small program is right with it and wrong without.
//!
//! Invariant: the oracle objects exactly when the mechanism is switched off, which only a test build of the agent can do. So this also
//! shows that the oracle can go red.
//! Source: docs/design/mechanisms.md.

use lucce_jvm_tests::{COMPARED, Run, Scratch, turn};

const OPTIONS: &str = "verify=1,exclude=hazards.plain.*";

/// Runs `Mechanisms` for `mechanism` below a recursion of `depth` levels, as it is, and without all of `switched_off`, where more than
/// `bearable` checks must go wrong.
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
    forget: "forget";
    forget_at_start: "forget_at_start";
    guard: "guard";
    untrusted: "untrusted";
    look: "look";
    risky_exit: "risky_exit";
    conversion: "conversion";
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
    needed("forget_briefly", &["forget"], DEEP, 0);
    needed("exceptional_store", &["exceptional_store"], DEEP, 0);
}

/// The one error that incremental checks do not see: an activation has left its entry behind, and another one of the same method at the
/// same place goes on. The next whole check sees it, and so does every check from then on, some hundreds; two more go wrong at
/// the end of the program.
#[test]
fn an_entry_left_behind_within_deep_recursion_is_seen_by_the_next_whole_check() {
    needed("restore_in_recursion", &["restore_at_exit"], DEEP, 300);
}
