//! A log that takes no more: a full disk.
//!
//! Invariant: the program goes on; each of its events is in the log or counted as dropped; one line says what is wrong.
//! Source: README, "In production".

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use lucce_jvm_tests::{Jvm, Program, Run, Scratch, decode};

/// Bytes of a file on the disk that is full.
const DISK: u64 = 40 << 10;

fn warnings(stderr: &str) -> Vec<&str> {
    stderr.lines().filter(|line| line.contains("cannot write")).collect()
}

/// The number in the agent's last line.
fn events_said(stderr: &str) -> u64 {
    let number = |line: &str| line.strip_prefix("lucce: ")?.split_once(" events in ")?.0.parse().ok();
    stderr.lines().find_map(number).unwrap_or_else(|| panic!("no last line: {stderr}"))
}

/// Waits until the file has grown and grows no more.
fn wait_until_full(log: &Path) {
    let size = || fs::metadata(log).map_or(0, |file| file.len());
    let mut before = size();
    for _ in 0..200 {
        // The writer tries each 200 ms.
        thread::sleep(Duration::from_millis(700));
        let now = size();
        if now > DISK / 2 && now == before {
            return;
        }
        before = now;
    }
    panic!("{before} bytes, and it is not full");
}

#[test]
fn a_disk_that_fills_up_costs_one_warning_and_the_program_goes_on() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("full", jvm.feature);
        let run = Run::hazard(&jvm, "Hello").within(&scratch).agent("alloc=64k").argument("300000");
        let outcome = run.file_size(DISK).go();
        assert!(outcome.success() && outcome.stdout == "hello\n", "{outcome}");
        let said = warnings(&outcome.stderr);
        assert!(said.len() == 1 && said[0].contains("dropped"), "{outcome}");
        // What was written before is whole.
        let counters = outcome.counters();
        assert!(!counters.complete() && counters.figure("malformed_blocks") == 0, "{counters}");
        assert_eq!(events_said(&outcome.stderr), counters.figure("decoded_events"), "{outcome}");
    }
}

#[test]
fn events_of_the_time_when_the_disk_was_full_are_counted_as_dropped() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("full", jvm.feature);
        let run = Run::hazard(&jvm, "Counting").within(&scratch).agent("").argument(scratch.file("end"));
        let mut command = run.file_size(DISK).command();
        let mut program = Program::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut began = [0; 8];
        program.stdout.as_mut().expect("piped").read_exact(&mut began).expect("it begins");
        let log = scratch.file("events.log");
        wait_until_full(&log);
        let id = program.id().to_string();
        let raised = Command::new("prlimit").args(["--fsize=unlimited", "--pid", &id]).status().expect("prlimit runs");
        assert!(raised.success());
        thread::sleep(Duration::from_millis(700));
        fs::write(scratch.file("end"), "").expect("written");
        let (status, printed, stderr) = program.end();
        assert!(status.success(), "{status}\n{stderr}");
        let made: u64 = printed.trim().strip_prefix("made ").and_then(|made| made.parse().ok()).expect("how many");
        assert_eq!(warnings(&stderr).len(), 1, "{stderr}");
        let counters = decode(&log).counters();
        assert!(counters.complete(), "{counters}");
        let (decoded, dropped) = (counters.figure("decoded_events"), counters.counter("events.dropped"));
        assert!(dropped > 0 && decoded + dropped == made, "{decoded} and {dropped} of {made}: {counters}\n{stderr}");
        assert_eq!((counters.counter("events"), events_said(&stderr)), (decoded, decoded), "{counters}\n{stderr}");
    }
}
