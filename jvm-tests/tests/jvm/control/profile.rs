//! A profile of a program that runs: stopped and started, asked for, rotated, killed.
//!
//! Invariant: whatever comes through the socket, each sample is in one sum of one file, and its
//! trace is whole.
//! Source: docs/guide/profiles.md; docs/guide/production.md.

use std::fs;
use std::path::Path;

use lucce_jvm_tests::{Counters, Scratch, decode, until};

use super::Running;

/// How many samples a log has in its sums; each has its whole trace.
fn samples(log: &Path) -> u64 {
    let (_, out, err) = decode(log).view(&["--events", "--kind", "profile", "--format", "json"]);
    let sums = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"));
    sums.map(|sum| {
        assert!(sum["unknown"].is_null() && sum["frames"][0]["method"].is_string(), "{sum}{err}");
        sum["count"].as_u64().expect("a number")
    })
    .sum()
}

/// Ends it: the figures of the file with its end, which goes with its folder.
fn ended(running: Running, log: &str) -> (Counters, Scratch) {
    fs::write(running.scratch.file("end"), "").expect("written");
    let Running { program, scratch } = running;
    let (status, _, stderr) = program.end();
    assert!(status.success() && !stderr.contains("internal error"), "{status}\n{stderr}");
    let counters = decode(&scratch.file(log)).counters();
    assert!(counters.complete() && counters.counter("tally.profile.lost") == 0, "{counters}");
    (counters, scratch)
}

#[test]
fn a_profile_stops_starts_and_is_told_live() {
    for feature in [11, 25] {
        for options in ["profile=10,quiet", "profile=1ms,quiet", "profile=10,encoder=pcc,quiet"] {
            let Some(running) = Running::new("profile-control", feature, options) else { continue };
            running.grows("tally.profile", "flush");
            let told = running.done("hot 0");
            assert!(told.starts_with("samples ") && told.contains("    at hazards.Steady."), "{told}");
            assert!(told.contains("hot: ") && told.contains(" % of all entries, "), "{told}");
            assert!(running.refused("hot most").contains("'most' is no share"));
            running.done("stop profile");
            let stopped = running.settled(["profile.entries"]);
            running.more_events();
            assert_eq!(running.counters(["profile.entries"]), stopped);
            running.done("start profile");
            running.grows("tally.profile", "flush");
            let (counters, scratch) = ended(running, "events.log");
            assert_eq!(samples(&scratch.file("events.log")), counters.counter("tally.profile"), "{counters}");
        }
    }
    let Some(running) = Running::new("profile-none", 25, "quiet") else { return };
    assert!(running.refused("hot").contains("profile=10ms"));
    running.leave();
}

#[test]
fn samples_of_a_killed_run_are_in_its_log() {
    for feature in [11, 25] {
        let Some(running) = Running::new("profile-kill", feature, "profile=3,quiet") else { continue };
        running.grows("tally.profile", "flush");
        running.done("kill");
        let killed = running.counters(["tally.profile", "profile.entries"]);
        assert!(running.done("hot 0").contains("    at hazards.Steady."));
        running.done("hot");
        assert_eq!(running.counters(["tally.profile", "profile.entries"]), killed);
        let (counters, scratch) = ended(running, "events.log");
        assert_eq!(samples(&scratch.file("events.log")), counters.counter("tally.profile"), "{counters}");
        assert_eq!(counters.counter("tally.profile") as i64, killed[0], "{counters}");
    }
}

#[test]
fn the_files_of_a_rotated_log_have_each_sample_once() {
    for feature in [11, 25] {
        let options = "profile=10,window=100ms,quiet,keep=all";
        let Some(running) = Running::new("profile-rotation", feature, options) else { continue };
        for file in ["events-2.log", "events-3.log"] {
            running.grows("tally.profile", "flush");
            running.done("rotate");
            let next = running.scratch.file(file);
            until("the next file", || next.exists().then_some(()));
        }
        running.grows("tally.profile", "flush");
        let (counters, scratch) = ended(running, "events-3.log");
        let files = ["events.log", "events-2.log", "events-3.log"].map(|name| samples(&scratch.file(name)));
        assert!(files.iter().all(|samples| *samples > 0), "{files:?}");
        assert_eq!(files.iter().sum::<u64>(), counters.counter("tally.profile"), "{counters}");
    }
}
