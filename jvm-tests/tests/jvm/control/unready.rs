//! The late start and the kill switch beside classes that are loaded and not as others are
//! (`hazards.Unready`).
//!
//! Invariant: none of them keeps the others from being rewritten or given back; what is left as it
//! is, is named, and contexts are exact.
//! Source: docs/design/late-start-and-kill.md.

use lucce_jvm_tests::{Jvm, Run, place};

use super::Running;

impl Running {
    /// Classes that cannot be rewritten or given back as others can.
    fn unready(name: &str, feature: u32, options: &str, more: &[&str]) -> Option<Self> {
        let program = |jvm: &Jvm| {
            let run = Run::hazard(jvm, "Unready");
            if more.is_empty() { run } else { run.option(place().other_agent("")) }
        };
        Self::of(name, feature, options, program, more)
    }
}

/// What cannot be linked, what has failed to initialise, and what another agent spoils keeps
/// nothing else from being rewritten.
#[test]
fn a_late_start_leaves_out_classes_that_cannot_be_rewritten_and_says_so() {
    for (feature, more) in [(11, &[][..]), (17, &["spoil"]), (21, &[]), (25, &["spoil"])] {
        let options = "quiet,verify=1,alloc=64k,start=off";
        let Some(running) = Running::unready("unready", feature, options, more) else { continue };
        running.done("start");
        running.more_events();
        let (out, counters) = running.end(false);
        // What was being defined meanwhile stays as it is.
        assert_eq!(out, "hooked true later true slow false", "on {feature} {more:?}");
        assert!(counters.checks() > 0, "{counters}");
        assert_eq!((counters.mismatches(), counters.lost()), (0, 0), "on {feature}: {counters}");
        let reasons =
            ["its initialisation has failed", "the JVM cannot link it", "loaded while Lucce was being started"];
        assert_eq!(reasons.map(|reason| counters.skipped(reason)), [1, 1, 1], "on {feature}: {counters}");
        let refused = counters.skipped("the JVM refuses its new code, perhaps because of another agent");
        assert_eq!(refused, more.len() as u64, "on {feature}: {counters}");
    }
}

/// A class whose definition ends after the loaded classes were asked for is given back as well, and
/// so is one that is not linked.
#[test]
fn the_kill_switch_gives_back_what_is_being_defined_and_minds_nothing_that_cannot_run() {
    for feature in [11, 17, 21, 25] {
        let Some(running) = Running::unready("undone", feature, "quiet,verify=1,alloc=64k", &[]) else { continue };
        running.more_events();
        running.done("kill");
        running.goes_on();
        let (out, counters) = running.end(false);
        assert_eq!(out, "hooked false later false slow false", "on {feature}");
        let wrong = (counters.mismatches(), counters.lost());
        assert_eq!(wrong, (0, 0), "on {feature}: {counters}");
    }
}
