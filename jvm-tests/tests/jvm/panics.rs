//! A panic inside the agent: the program runs on, and the log says what and where.
//!
//! Invariant: the panic is a real one, of a test build, in the load hook of the program's main
//! class.
//! Source: ARCHITECTURE ("The contract", "No harm"); `agent/src/support/boundary.rs`.

use lucce_jvm_tests::{Jvm, Run, Scratch, decode};

#[test]
fn a_panic_leaves_the_program_alone_and_its_message_and_place_in_the_log() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("panic", jvm.feature);
        let outcome =
            Run::target(&jvm, "hazards.Waiting").within(&scratch).without(&["panic"], "hooks=demand,alloc=64k").go();
        assert!(outcome.success(), "{outcome}");
        let said: Vec<_> = outcome.said().into_iter().filter(|line| line.contains("internal error")).collect();
        let what = "fault=panic: hazards/Waiting (agent/src/rewrite/classes.rs:";
        assert!(said.len() == 1 && said[0].contains(what), "{outcome}");
        let counters = outcome.counters();
        assert!(counters.complete() && counters.counter("panics") > 0, "{counters}");
        assert!(counters.skipped("an error inside the agent") > 0, "{counters}");
        let (_, doctor, _) = decode(outcome.log()).view_of("doctor", &[]);
        assert!(doctor.contains(&format!("internal error in ClassFileLoadHook: {what}")), "{doctor}");
    }
}
