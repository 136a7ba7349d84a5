//! What views hold of a long log: what explains its events, and not the events.
//!
//! Invariant: a view that kept each event would need more memory than it may have here.
//! Source: docs/guide/decoder.md; issue-level contract of `lucce-decode`.

mod common;

use std::path::PathBuf;
use std::process::{Command, Output};

use common::Program;
use common::shell::{BIN, folder};
use lucce_log::Record;

/// So many bytes of address space a view may have, the program itself included.
const MOST_KIB: u64 = 64 << 10;
/// With 72 bytes each they alone would fill it.
const EVENTS: usize = 1_000_000;

/// A log of [`EVENTS`] events in one context.
fn long() -> PathBuf {
    let (mut program, mut stack, at) = Program::running("run");
    for event in 0..EVENTS {
        if event % 10_000 == 0 {
            program.next_block();
        }
        program.event(&mut stack, at, ("mark", 1), None, Vec::new());
    }
    program.record(Record::End);
    folder("streamed", &program.file().0)
}

/// `lucce-decode ARGS` with that much memory; its output goes nowhere.
fn run(args: &str, folder: &PathBuf) -> Output {
    let script = format!("ulimit -v {MOST_KIB} && exec '{BIN}' {args} > /dev/null");
    Command::new("sh").args(["-c", &script]).current_dir(folder).output().expect("it runs")
}

#[test]
fn no_view_keeps_the_events_of_a_long_log() {
    let folder = long();
    for args in [
        "events.log",
        "events events.log --to 1ms",
        "events events.log --to 1ms --format json --stacks dictionary",
        "doctor events.log",
        "graph events.log",
        "events.log --context n1",
        "leaks events.log",
    ] {
        let output = run(args, &folder);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)) && !said.contains("memory"), "{args}: {output:?}");
    }
}
