//! Each mechanism of exactness, shown to be needed: the same small program is right with it and wrong without.
//!
//! Invariant: the oracle objects exactly when the mechanism is switched off, which only a test build of the agent can do. So this also
//! shows that the oracle can go red.
//! Source: DESIGN section 3 (the table "without ... wrong").

#![forbid(unsafe_code)]

use lucce_jvm_tests::{Jvm, Run, Scratch};

const OPTIONS: &str = "verify=1,exclude=hazards.plain.*";

/// Runs `Mechanisms` for `mechanism` as it is, and without all of `switched_off`.
fn needed(mechanism: &str, switched_off: &[&str]) {
    for feature in [17, 25] {
        let Some(jvm) = Jvm::of(feature) else { continue };
        let scratch = Scratch::new(mechanism, feature);
        let run = || Run::hazard(&jvm, "Mechanisms").within(&scratch).option(format!("-Dmechanism={mechanism}"));
        let right = run().agent(OPTIONS).go();
        assert!(right.success(), "{mechanism} on {feature}:\n{right}");
        right.verified();
        let wrong = run().without(switched_off, OPTIONS).go();
        let counters = wrong.counters();
        assert!(counters.mismatches() > 0, "nothing is wrong without {mechanism} on {feature}:\n{wrong}\n{counters}");
    }
}

macro_rules! mechanisms {
    ($($name:ident: $($off:literal),+;)*) => { $(
        #[test]
        fn $name() {
            needed(stringify!($name), &[$($off),+]);
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
