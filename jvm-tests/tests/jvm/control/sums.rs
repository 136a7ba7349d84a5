//! When sums of counts reach the log of a program that runs: at the end of each window, and at
//! `flush`.
//!
//! Invariant: what the log had at a moment is what its sums up to that moment say later; all
//! windows together are what was counted.
//! Source: docs/guide/counting.md; docs/FORMAT.md, "SumsUntil".

use std::fs;
use std::path::Path;

use lucce_jvm_tests::{Scratch, decode, until};
use serde_json::Value;

use super::Running;

const COUNTED: &str = "alloc=all,entries=hazards.Steady.*,quiet";

/// How many counted calls a log has, of those that are chosen.
fn calls(log: &Path, chosen: &[&str]) -> u64 {
    let (_, out, err) =
        decode(log).view_of("top", &[&["--kind", "entry", "--format", "json", "-n", "100000"], chosen].concat());
    assert!(!out.is_empty() || err.contains("no event kind"), "{err}");
    let rows = out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    rows.map(|row| row["events"].as_u64().expect("a number")).sum()
}

/// Ends it. What it has counted in all, which is what its log has.
fn ended(running: Running, log: &Path) -> (u64, Scratch) {
    fs::write(running.scratch.file("end"), "").expect("written");
    let Running { program, scratch } = running;
    let (status, _, stderr) = program.end();
    assert!(status.success(), "{status}\n{stderr}");
    let counters = decode(log).counters();
    assert!(counters.complete() && counters.counter("tally.entry.lost") == 0, "{counters}");
    assert_eq!(calls(log, &[]), counters.counter("tally.entry"), "{counters}");
    (counters.counter("tally.entry"), scratch)
}

#[test]
fn each_window_has_the_sums_of_its_time() {
    for feature in [11, 25] {
        let Some(running) = Running::new("windows", feature, &format!("{COUNTED},window=100ms")) else { continue };
        let (log, then) = (running.scratch.file("events.log"), running.scratch.file("then.log"));
        // Nobody asks for them.
        let grown = |from: u64| {
            until("a window's end", || {
                fs::copy(&log, &then).expect("copied");
                Some(calls(&then, &[])).filter(|calls| *calls > from)
            })
        };
        let first = grown(0);
        let second = grown(first);
        let (_, out, _) = decode(&then).view_of("doctor", &["--format", "json"]);
        let report: Value = serde_json::from_str(&out).expect("an object");
        let until = (report["seconds"].as_f64().expect("a time") * 1e9).round() as u64 + 1;
        let third = grown(second);
        assert!(third > second);
        // Its folder goes with it.
        let (all, _scratch) = ended(running, &log);
        let time = format!("{until}ns");
        let (before, behind) = (calls(&log, &["--to", &time]), calls(&log, &["--from", &time]));
        assert_eq!((before, before + behind), (second, all), "on {feature}");
    }
}

#[test]
fn a_flush_writes_the_sums_at_once() {
    for feature in [11, 25] {
        let Some(running) = Running::new("flushed-sums", feature, &format!("{COUNTED},window=3600s")) else { continue };
        let log = running.scratch.file("events.log");
        running.more_events();
        assert_eq!(calls(&log, &[]), 0, "its window is an hour");
        running.done("flush");
        let first = calls(&log, &[]);
        assert!(first > 0, "on {feature}");
        running.more_events();
        assert_eq!(calls(&log, &[]), first, "on {feature}");
        running.done("flush");
        let second = calls(&log, &[]);
        assert!(second > first, "on {feature}");
        assert!(ended(running, &log).0 >= second);
    }
}
