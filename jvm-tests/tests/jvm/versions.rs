//! `lucce-decode versions`: the log says of every numbering why it was made, what it cost and what
//! it came to.
//!
//! Invariant: what the versions took, added up, is what the agent itself has counted.
//! Source: docs/FORMAT.md, record Numbering; docs/design/words-and-numbering.md ("Numbering").

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch};
use serde_json::Value;

/// The lines of `versions`, checked against the figures of the log.
fn versions(outcome: &Outcome) -> Vec<Value> {
    assert!(outcome.success(), "{outcome}");
    let log = lucce_jvm_tests::decode(outcome.log());
    let (status, lines, _) = log.view_of("versions", &["--format", "json"]);
    assert_eq!(status, 0);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let counters = outcome.counters();
    let numbers: Vec<_> = lines.iter().map(|line| line["version"].as_u64()).collect();
    assert_eq!(numbers, (2..=counters.figure("versions")).map(Some).collect::<Vec<_>>(), "{counters}");
    for line in &lines {
        assert!(["links", "late finds"].contains(&line["cause"].as_str().expect("a cause")), "{line}");
        let size = |key: &str| line[key].as_u64().expect("a size");
        assert!(size("methods") > 1 && size("edges") >= size("methods") - 1 && size("largest") >= 1, "{line}");
        assert!(size("cut") <= size("edges") && size("nanos") > 0, "{line}");
    }
    let times: Vec<_> = lines.iter().map(|line| line["time_ns"].as_u64()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let total: u64 = lines.iter().filter_map(|line| line["nanos"].as_u64()).sum();
    assert_eq!(total, counters.counter("stall.total_ns"), "{counters}");
    // As text, by the option of the first command.
    let (status, text, _) = log.view(&["--versions"]);
    assert_eq!((status, text.lines().count()), (0, lines.len() + 3), "{text}");
    lines
}

fn causes(lines: &[Value], cause: &str) -> usize {
    lines.iter().filter(|line| line["cause"] == cause).count()
}

#[test]
fn every_numbering_has_its_cause() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("versions", jvm.feature);
        let log = scratch.file("events.log");
        // More than a thousand links.
        let outcome = Run::hazard(&jvm, "Warm").within(&scratch).agent("hooks=all").argument(&log).argument("4").go();
        let lines = versions(&outcome);
        assert!(causes(&lines, "links") > 0, "{lines:?}");
    }
}

#[test]
fn a_numbering_for_late_finds_says_so() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("late-finds", jvm.feature);
        // Fewer links than make a version, each found again and again as a record.
        let run = Run::hazard(&jvm, "Megamorphic").within(&scratch).agent("hooks=all");
        let lines = versions(&run.argument("600").argument("3000").go());
        assert_eq!((causes(&lines, "late finds"), causes(&lines, "links")), (1, 0), "{lines:?}");
    }
}
