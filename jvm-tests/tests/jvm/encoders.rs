//! Other encoders on real JVMs: those that only measure.
//!
//! Invariant: a program does the same under each; `none` and `count` keep no context, take no slow
//! way, and log no event.

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch};

fn hello(jvm: &Jvm, options: &str) -> (Scratch, Outcome) {
    let scratch = Scratch::new(options, jvm.feature);
    let outcome = Run::hazard(jvm, "Hello").within(&scratch).agent(options).argument("500").go();
    assert!(outcome.success() && outcome.stdout == "hello\n", "{outcome}");
    let counters = outcome.counters();
    assert!(counters.complete() && counters.counter("methods.hooked") > 0, "{outcome}\n{counters}");
    for none in ["slow.entries", "slow.walks", "events", "contexts.captured", "panics"] {
        assert_eq!(counters.counter(none), 0, "{none}\n{counters}");
    }
    (scratch, outcome)
}

#[test]
fn hooks_that_do_nothing_keep_no_context() {
    for jvm in Jvm::all() {
        let (_scratch, outcome) = hello(&jvm, "encoder=none");
        assert_eq!(outcome.counters().counter("calls.entered"), 0);
    }
}

#[test]
fn hooks_that_count_tell_at_the_end_how_many_methods_were_entered() {
    for jvm in Jvm::all() {
        let (_scratch, outcome) = hello(&jvm, "encoder=count");
        let entered = outcome.counters().counter("calls.entered");
        assert!(outcome.stderr.contains(&format!("lucce: {entered} calls entered\n")), "{outcome}");
        assert_eq!(entered, 1, "main, once: {outcome}");
    }
}

#[test]
fn methods_that_are_entered_late_are_counted_like_others() {
    for jvm in Jvm::all() {
        let (scratch, target) = (Scratch::new("late-count", jvm.feature), "EarlyReturns");
        let alone = Run::hazard(&jvm, target).within(&scratch).option("-Drounds=10").go();
        let counted = Run::hazard(&jvm, target).within(&scratch).option("-Drounds=10").agent("encoder=count").go();
        // Its own check finds no contexts, as there are none.
        let sum = |outcome: &Outcome| outcome.stdout.lines().find(|line| line.starts_with("sum ")).map(str::to_owned);
        assert!(alone.success() && sum(&counted).is_some() && sum(&counted) == sum(&alone), "{alone}\n{counted}");
        let counters = counted.counters();
        assert!(counters.complete() && counters.counter("calls.entered") > 20, "{counted}\n{counters}");
    }
}

#[test]
fn hooks_that_count_go_on_below_a_guard() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("guarded-count", jvm.feature);
        // Its class loaders have hooks, and are called out of the JDK's own, which has a Guard.
        let outcome = Run::hazard(&jvm, "Loaders").within(&scratch).agent("encoder=count").go();
        let counters = outcome.counters();
        assert!(counters.complete() && counters.counter("calls.entered") > 20, "{outcome}\n{counters}");
    }
}
