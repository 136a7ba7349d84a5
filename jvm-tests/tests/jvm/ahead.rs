//! Classes that are rewritten before they are loaded.
//!
//! Invariant: what comes with other bytes, or when the rewriter would be told something else, is rewritten once more; all else is taken.
//! Source: ARCHITECTURE, "Rewriting ahead".

use lucce_jvm_tests::{Counters, Jvm, Run, Scratch};

/// Is anything rewritten ahead? Nothing where there is one processor alone.
fn has_thread(options: &str) -> bool {
    let processors = std::thread::available_parallelism();
    !options.contains("ahead=off") && processors.is_ok_and(|processors| processors.get() > 1)
}

/// Runs the target under these options: its checks hold, and it prints what it prints without the agent.
fn counters(jvm: &Jvm, options: &str) -> Counters {
    let scratch = Scratch::new("foreseen", jvm.feature);
    let run = || Run::hazard(jvm, "Foreseen").within(&scratch);
    let plain = run().go();
    assert!(plain.success(), "{plain}");
    let agent = run().option(format!("-Dforeseen={}", has_thread(options)));
    let agent = agent.agent(&format!("{options},exclude=hazards.plain.*")).go();
    assert!(agent.success(), "{options}\n{agent}");
    assert_eq!(plain.stdout, agent.stdout, "{options}\n{agent}");
    agent.verified()
}

fn check(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let mut loaded = Vec::new();
    for options in ["verify=1", "verify=1,hooks=demand,wake=20", "verify=1,ahead=off"] {
        let counters = counters(&jvm, options);
        let [made, taken, refused] =
            ["made", "taken", "refused"].map(|what| counters.counter(&format!("ahead.{what}")));
        if has_thread(options) {
            // `Greeting` has other bytes, and what `Last` is called by has become risky.
            assert!(refused >= 2 && taken > 0 && made >= taken + refused, "{options}\n{counters}");
        } else {
            assert_eq!((made, taken, refused), (0, 0, 0), "{options}\n{counters}");
        }
        loaded.push(["classes.rewritten", "methods.hooked", "sites"].map(|what| counters.counter(what)));
    }
    assert_eq!(loaded[0], loaded[2], "what was not loaded does not count");
}

macro_rules! on {
    ($($feature:literal $name:ident)*) => { $(
        #[test]
        fn $name() {
            check($feature);
        }
    )* };
}

mod what_comes_otherwise_than_foreseen_is_rewritten_once_more {
    use super::*;

    on! { 11 on_11 17 on_17 21 on_21 25 on_25 }
}
