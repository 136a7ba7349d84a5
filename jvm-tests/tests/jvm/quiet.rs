//! A warmed-up program without new code, edges, threads or events costs nothing but its hooks.
//!
//! Invariant: not one byte is added to the log, no native of the agent is called and no lock of it
//! taken, and versions stop. A log up to any size that the program saw is a log itself, with the
//! agent's counters at that moment.
//! Source: ARCHITECTURE ("The contract").

use std::fs;

use lucce_jvm_tests::{Counters, Jvm, Run, Scratch, decode};

/// Rounds of the program up to its first stop; each makes some twenty thousand calls.
const UNIT: u64 = 4;
/// Stops at 1, 10, 100, 1000, 1000, 1000, 2000 and 2000 units.
const STOPS: usize = 8;
/// Counters of the ways into the agent, and of its locks.
const WAYS: [&str; 6] = ["natives", "locks", "slow.entries", "slow.walks", "slow.looks", "slow.conversions"];

/// Where the program stood still: the size of the log before its event, and the log up to that
/// event.
struct Stop {
    before: u64,
    after: u64,
    log: Counters,
}

fn stops(jvm: &Jvm) -> Vec<Stop> {
    let scratch = Scratch::new("warm", jvm.feature);
    let log = scratch.file("events.log");
    let outcome = Run::hazard(jvm, "Warm")
        .within(&scratch)
        .agent("quiet,hooks=all")
        .argument(&log)
        .argument(UNIT.to_string())
        .go();
    assert!(outcome.success(), "{outcome}");
    let bytes = fs::read(&log).expect("the log");
    let at = |line: &str| {
        let (before, after) = line.split_once(' ').expect("two sizes a line");
        let (before, after) = (before.parse().expect("a size"), after.parse().expect("a size"));
        let prefix = scratch.file("prefix.log");
        fs::write(&prefix, &bytes[..after as usize]).expect("written");
        let log = decode(&prefix).counters();
        assert_eq!(log.figure("malformed_blocks"), 0, "{log}");
        Stop { before, after, log }
    };
    outcome.stdout.lines().map(at).collect()
}

/// From the fourth stop on every edge has been met: then nothing happens, or a thousand units more,
/// or nothing.
fn check_quiet(stops: &[Stop]) {
    for pair in stops[3..].windows(2) {
        assert_eq!(pair[0].after, pair[1].before, "bytes were added without an event");
    }
    let grown = |from: usize, counter: &str| stops[from + 1].log.counter(counter) - stops[from].log.counter(counter);
    for counter in WAYS {
        // The event of a stop is a way in by itself.
        let (idle, busy) = (grown(4, counter), grown(5, counter));
        assert_eq!(idle, busy, "{counter} grew while the program was warm\n{}", stops[6].log);
    }
    assert_eq!((grown(5, "natives"), grown(5, "events")), (1, 1), "counters are told\n{}", stops[6].log);
}

/// A new version takes twice as many new links as the one before it: few come while the program
/// warms up, none later.
fn check_versions(stops: &[Stop]) {
    let versions: Vec<u64> = stops.iter().map(|stop| stop.log.figure("versions")).collect();
    assert!(versions[3] > versions[0] + 1, "the program makes versions: {versions:?}");
    // Ten times the calls: at most log2(10) versions more.
    assert!(versions[..4].windows(2).all(|pair| pair[1] <= pair[0] + 4), "too many versions: {versions:?}");
    assert!(versions[3..].iter().all(|&later| later == versions[3]), "versions go on: {versions:?}");
}

macro_rules! on {
    ($($feature:literal $name:ident)*) => { $(
        #[test]
        fn $name() {
            let Some(jvm) = Jvm::of($feature) else { return };
            let stops = stops(&jvm);
            assert_eq!(stops.len(), STOPS);
            check_versions(&stops);
            check_quiet(&stops);
        }
    )* };
}

on! {
    11 a_warmed_up_program_adds_no_byte_enters_no_native_and_takes_no_lock_on_11
    17 a_warmed_up_program_adds_no_byte_enters_no_native_and_takes_no_lock_on_17
    21 a_warmed_up_program_adds_no_byte_enters_no_native_and_takes_no_lock_on_21
    25 a_warmed_up_program_adds_no_byte_enters_no_native_and_takes_no_lock_on_25
}
