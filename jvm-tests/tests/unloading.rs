//! A program that loads and drops classes without end keeps flat memory under the agent, and what ids cannot be given for is left alone.
//!
//! Invariant: growth is counted from the same moment with and without the agent, in the same program, after collections; so what the JVM
//! itself keeps of unloaded classes counts on both sides. `LUCCE_CLASSES` loads more (200000 takes minutes).

#![forbid(unsafe_code)]

use std::env;

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch};

/// Classes loaded in all; a tenth of them are there when counting begins.
fn classes() -> u32 {
    env::var("LUCCE_CLASSES").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

/// The two numbers that the program prints, in KiB: what it holds after the first classes and in the end.
fn resident(outcome: &Outcome) -> (i64, i64) {
    assert!(outcome.success(), "{outcome}");
    let numbers: Vec<i64> = outcome.stdout.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers.len(), 2, "{outcome}");
    (numbers[0], numbers[1])
}

fn flat(feature: u32, hidden: bool) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("unloading", feature);
    let run = || {
        let mut run = Run::hazard(&jvm, "Unloading").within(&scratch).limit(1200).option("-Xmx64m").option("-Xint");
        // One arena of malloc: what is kept of others is not what is measured.
        run = run.option("-XX:+UseSerialGC").option("-XX:MaxMetaspaceSize=48m");
        run = run.argument((classes() / 10).to_string()).argument(classes().to_string());
        if hidden { run.argument("hidden") } else { run }
    };
    let plain = resident(&run().go());
    let outcome = run().agent("quiet").go();
    let agent = resident(&outcome);
    let counters = outcome.counters();
    let more = (agent.1 - agent.0) - (plain.1 - plain.0);
    let dropped = i64::from(classes()) * 9 / 10;
    println!(
        "{feature}: {plain:?} KiB without, {agent:?} KiB with the agent; {} bytes more a class",
        more * 1024 / dropped
    );
    if !hidden {
        let unloaded = counters.counter("classes.unloaded");
        assert!(unloaded > u64::from(classes()), "only {unloaded} classes were forgotten\n{counters}");
    }
    // Without unloading it is some ten KiB a class.
    assert!(more * 1024 < dropped * 600 + (16 << 20), "{more} KiB more for {dropped} classes\n{outcome}");
}

#[test]
fn classes_that_come_and_go_leave_no_memory_behind_on_17() {
    flat(17, false);
}

#[test]
fn classes_that_come_and_go_leave_no_memory_behind_on_25() {
    flat(25, false);
}

#[test]
fn hidden_classes_that_come_and_go_leave_no_memory_behind_on_21() {
    flat(21, true);
}
