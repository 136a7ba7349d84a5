//! Numbers in what `--format json` prints: none loses a bit, and what is not known is null.
//!
//! Invariant: a number that does not fit a double stands there as text, too.
//! Source: docs/FORMAT.md, "What lucce-decode prints".

mod common;

use common::Program;
use common::shell::{folder, run, run_in, text};
use lucce_log::Record;
use serde_json::Value;

/// A run with events of these values in one context.
fn program(values: &[i64]) -> Program {
    let (mut program, mut stack, at) = Program::running("run");
    for &value in values {
        program.event(&mut stack, at, ("mark", value), None, Vec::new());
    }
    program
}

fn view(test: &str, program: &mut Program, args: &[&str]) -> String {
    program.record(Record::End);
    let output = run(test, &program.file().0, args);
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

#[test]
fn a_word_and_a_run_are_there_as_text() {
    let mut program = program(&[1]);
    let word = program.expected[0].place.0;
    assert!(word.call_id() > 1 << 53, "a double does not hold it");
    let printed = view("json-word", &mut program, &["--format", "json"]);
    let event: Value = serde_json::from_str(&printed).expect("an object");
    assert_eq!(event["word"], format!("0x{:016x}", word.0), "{printed}");
    assert_eq!((&event["version"], &event["callId"]), (&word.version().0.into(), &word.call_id().into()));
    let printed = view("json-run", &mut program, &["--stats", "--format", "json"]);
    let figures: Value = serde_json::from_str(&printed).expect("an object");
    assert_eq!(
        (figures["run"].as_str(), &figures["header"]["run_id"]),
        (Some("c0ffee0012345678"), &0xC0FF_EE00_1234_5678_u64.into())
    );
}

#[test]
fn the_run_is_on_the_first_screen_and_in_the_report_of_the_doctor() {
    let bytes = {
        let mut program = program(&[1]);
        program.record(Record::End);
        program.file().0
    };
    let screen = text(&run("json-screen", &bytes, &[]).stdout);
    assert!(screen.contains("\n  run c0ffee0012345678\n"), "{screen}");
    let folder = folder("json-doctor", &bytes);
    let doctor = |args: &[&str]| text(&run_in(&folder, &[&["doctor", "events.log"], args].concat()).stdout);
    assert!(doctor(&[]).contains("\n  run c0ffee0012345678\n"));
    assert!(doctor(&["--format", "json"]).contains("\"run\":\"c0ffee0012345678\""));
}

#[test]
fn sums_are_integers_however_large() {
    let mut program = program(&[i64::MAX, i64::MAX, i64::MAX]);
    let sum = (3 * i128::from(i64::MAX)).to_string();
    for args in [&["--stats", "--format", "json"][..], &["--top", "1", "--format", "json"]] {
        let printed = view("json-sums", &mut program, args);
        assert!(printed.contains(&format!("\"value\":{sum}")), "{sum}: {printed}");
    }
}

#[test]
fn a_kind_whose_name_is_lost_is_null() {
    let mut program = program(&[1]);
    // As if its record was in a block that is gone.
    for block in &mut program.blocks {
        block.retain(|record| !matches!(record, Record::Kind { .. }));
    }
    for args in [&["--format", "json"][..], &["--top", "1", "--format", "json"]] {
        let printed = view("json-kind", &mut program, args);
        let line: Value = serde_json::from_str(&printed).expect("an object");
        assert!(line["kind"].is_null(), "{printed}");
    }
}
