//! A site with hundreds of targets: what DACCE finds in a hash of targets the hooks find among
//! values and link records.
//!
//! Invariant: a target that has been entered is found again without the agent, however many there
//! are, and is never taken for another.
//! Source: docs/design/words-and-numbering.md ("Values"), docs/design/link-tables.md; DACCE,
//! section 3.2 (Fig. 4).

use lucce_jvm_tests::{Counters, Jvm, Run, Scratch};

/// More than a site has places for values, fewer than make a version.
const TARGETS: &str = "600";

fn run(jvm: &Jvm, options: &str, rounds: &str) -> (Counters, String) {
    let scratch = Scratch::new(&format!("megamorphic-{rounds}"), jvm.feature);
    let run = Run::hazard(jvm, "Megamorphic").within(&scratch).agent(options).argument(TARGETS).argument(rounds);
    let outcome = run.go();
    assert!(outcome.success(), "{outcome}");
    let counters = outcome.counters();
    let text = format!("{outcome}\n{counters}");
    assert!(counters.complete() && counters.mismatches() == 0 && counters.lost() == 0, "{text}");
    (counters, text)
}

#[test]
fn hundreds_of_targets_of_one_site_are_found_without_the_agent() {
    for jvm in Jvm::all() {
        let (few, _) = run(&jvm, "hooks=all", "3");
        let (many, text) = run(&jvm, "hooks=all", "300");
        assert!(few.counter("slow.entries") > 600, "each target is met once: {text}");
        assert_eq!(many.counter("slow.entries"), few.counter("slow.entries"), "{text}");
        assert_eq!(many.counter("slow.walks"), few.counter("slow.walks"), "{text}");
    }
}

#[test]
fn none_of_hundreds_of_targets_is_taken_for_another() {
    for jvm in Jvm::all() {
        let (checked, text) = run(&jvm, "verify=1", "5");
        assert!(checked.distinct() >= 2 * 600, "{text}");
    }
}
