//! `kill -9` at random moments, again and again (fifty times in a whole run): each log decodes up
//! to its last block, which is at most a second old.
//!
//! Invariant: what the log holds is whole: no event is undecodable, no record lost.
//! Source: docs/FORMAT.md.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lucce_jvm_tests::{Jvm, Program, Run, Scratch, decode, turn};

/// What was made longer than this before the end is in the log.
const OLDEST: Duration = Duration::from_secs(1);

/// The lock of the log says whether its JVM still writes; a copy says nothing.
#[test]
fn a_log_that_is_still_written_is_told_from_one_whose_jvm_was_killed() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("standing", jvm.feature);
        let run = Run::hazard(&jvm, "Busy").within(&scratch).agent("quiet,alloc=256k");
        let run = run.argument(scratch.file("times")).argument("20");
        let mut child = Program::start(run.command().stdout(Stdio::piped()).stderr(Stdio::null()));
        let mut started = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut started).expect("its first line");
        let (log, copy) = (scratch.file("events.log"), scratch.file("copy.log"));
        let state = |log: &Path| {
            let (status, out, complaint) = decode(log).view(&["--stats", "--format", "json"]);
            let stats: serde_json::Value = serde_json::from_str(&out).expect("JSON");
            let (doctor, ..) = decode(log).view_of("doctor", &["--format", "json"]);
            let changes = doctor & 1;
            (status, changes, stats["state"].as_str().unwrap_or_default().to_owned(), complaint)
        };
        fs::copy(&log, &copy).expect("copied");
        let (status, changes, name, complaint) = state(&log);
        assert_eq!((status, changes, name.as_str()), (0, 0, "still being written"), "{complaint}");
        assert!(complaint.contains("still being written") && !complaint.contains("cut"), "{complaint}");
        assert_eq!(state(&copy).2, "cut");
        child.kill().expect("it still runs");
        child.wait();
        let (status, changes, name, complaint) = state(&log);
        assert_eq!((status, changes, name.as_str()), (3, 1, "killed"), "{complaint}");
        assert!(complaint.contains("the JVM was killed;"), "{complaint}");
        // Who begins to follow it now learns that, too, and waits for nobody.
        let (status, _, complaint) = decode(&log).view(&["--follow", "--format", "json"]);
        assert!(status == 3 && complaint.contains("is gone"), "{complaint}");
    }
}

/// So many times on each JVM.
fn times(feature: u32) -> u64 {
    match feature {
        _ if !turn::is_whole() => 5,
        11 | 17 => 13,
        _ => 12,
    }
}

fn kill(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let mut with_events = 0;
    for time in 0..times(feature) {
        let scratch = Scratch::new("crash", feature);
        // Blocks are full soon, or closed because they are old.
        let rest = if time % 2 == 0 { "0" } else { "20" };
        let run = Run::hazard(&jvm, "Busy").within(&scratch).agent("quiet,alloc=256k");
        let run = run.argument(scratch.file("times")).argument(rest);
        let mut child = Program::start(run.command().stdout(Stdio::piped()).stderr(Stdio::null()));
        let mut started = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut started).expect("its first line");
        assert_eq!(started, "started\n");
        // Moments that follow no beat: a permutation of 0 to 2499 ms.
        let moment = Duration::from_millis((time * 997 + u64::from(feature) * 131 + scheduler_noise()) % 2500);
        thread::sleep(moment);
        child.kill().expect("it still runs");
        // It makes no event from here on; to take its memory apart may take the system a while.
        let killed = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        child.wait();

        let log = scratch.file("events.log");
        let decoded = decode(&log);
        let counters = decoded.counters();
        let (status, _, complaint) = decoded.view(&["--stats"]);
        assert_eq!(status, 3, "a log without an end is said to be cut: {complaint}");
        assert!(complaint.contains("offset"), "{complaint}");
        for loss in ["undecodable_events", "lost_records", "lost_versions", "malformed_blocks"] {
            assert_eq!(counters.figure(loss), 0, "{loss} after {moment:?} on {feature}: {complaint}");
        }
        let events = decoded.events();
        assert_eq!(events.len() as u64, counters.figure("events"), "each event is printed");
        for event in &events {
            let frames = event["frames"].as_array().map_or(0, Vec::len);
            assert!(frames > 0 && event["unknown"].is_null(), "an event without its trace: {event}");
        }
        let steps: Vec<u64> =
            events.iter().filter(|event| event["kind"] == "step").filter_map(|event| event["value"].as_u64()).collect();
        assert!(steps.iter().copied().eq(0..steps.len() as u64), "an event is missing between others on {feature}");
        // The first that is not in the log, by the program's own clock.
        if let Some(&first) = made(&scratch.file("times")).get(steps.len()) {
            let age = killed.saturating_sub(first);
            assert!(age < OLDEST, "an event made {age:?} before the end is not in the log on {feature}");
        }
        with_events += usize::from(!events.is_empty());
    }
    assert!(with_events > 0, "some log has events");
}

/// When each event of the program had been made.
fn made(times: &Path) -> Vec<Duration> {
    let bytes = fs::read(times).expect("the program's file");
    let times = bytes.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes")));
    times.take_while(|&time| time != 0).map(Duration::from_millis).collect()
}

fn scheduler_noise() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::from(now.subsec_nanos()) / 1000)
}

#[test]
fn killed_at_any_moment_the_log_decodes_on_11() {
    kill(11);
}

#[test]
fn killed_at_any_moment_the_log_decodes_on_17() {
    kill(17);
}

#[test]
fn killed_at_any_moment_the_log_decodes_on_21() {
    kill(21);
}

#[test]
fn killed_at_any_moment_the_log_decodes_on_25() {
    kill(25);
}
