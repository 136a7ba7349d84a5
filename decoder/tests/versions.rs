//! `versions`: each numbering with its cause, cost and size; what the log does not say of one is
//! unknown.
//!
//! Invariant: a version has one line, whatever is lost or said again.
//! Source: docs/FORMAT.md, record Numbering.

mod common;

use common::shell::{run, text};
use common::{Program, header};
use lucce_log::{Cause, Composer, Header, Record, encode_header};
use lucce_words::Version;

/// A program whose graph was numbered three times; the log says of the first and the last what that
/// came to.
fn numbered() -> Program {
    let (mut program, _, _) = Program::running("run");
    let size = |version, cause, time_ns, nanos, largest| {
        let version = Version(version);
        Record::Numbering { version, time_ns, cause, nanos, methods: 1_234, edges: 2_345, largest, cut: 7 }
    };
    program.renumber();
    program.record(size(2, Cause::Links, 1_234_567_890, 812_345, 1 << 36));
    program.renumber();
    program.renumber();
    program.record(size(4, Cause::LateFinds, 65_000_000_000, 10_500_000, 90));
    program.record(Record::End);
    program
}

const TEXT: &str = "\
3 numberings in 11.3 ms, 1 unknown

version          at  cause            took    methods      edges          largest        cut
      2     1.235 s  links        812.3 us      1 234      2 345   68 719 476 736          7
      3              unknown
      4    65.000 s  late finds    10.5 ms      1 234      2 345               90          7
";

const JSON: &str = r#"{"version":2,"time_ns":1234567890,"cause":"links","nanos":812345,"methods":1234,"edges":2345,"largest":68719476736,"cut":7}
{"version":3,"time_ns":null,"cause":null,"nanos":null,"methods":null,"edges":null,"largest":null,"cut":null}
{"version":4,"time_ns":65000000000,"cause":"late finds","nanos":10500000,"methods":1234,"edges":2345,"largest":90,"cut":7}
"#;

#[test]
fn each_numbering_has_a_line() {
    let bytes = numbered().file().0;
    let printed = |args: &[&str]| {
        let output = run("versions", &bytes, args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(printed(&["--versions"]), TEXT);
    assert_eq!(printed(&["--versions", "--format", "json"]), JSON);
}

#[test]
fn a_keyframe_says_again_what_was_lost() {
    let program = numbered();
    let mut composer = Composer::new(true);
    let mut bytes = encode_header(&header());
    program.blocks.iter().flatten().for_each(|record| composer.push(record));
    let (lost, mut kept) = (composer.finish(), composer.keyframe());
    kept.extend(std::iter::from_fn(|| composer.repeated()));
    let start = bytes.len();
    lost.iter().chain(&kept).for_each(|block| bytes.extend(block));
    assert_eq!(text(&run("versions-twice", &bytes, &["--versions"]).stdout), TEXT, "nothing is said twice");
    bytes[start + 8] ^= 1;
    assert_eq!(text(&run("versions-damaged", &bytes, &["--versions"]).stdout), TEXT);
}

#[test]
fn a_run_without_numberings_and_one_of_algorithm_1_say_so() {
    let (mut program, _, _) = Program::running("run");
    program.record(Record::End);
    let output = run("versions-none", &program.file().0, &["--versions"]);
    assert_eq!(text(&output.stdout), "no numbering: all contexts are of version 1, which began with the run\n");
    let paper = Header { encoder: "algorithm1".into(), ..header() };
    let output = run("versions-paper", &program.file_with(&paper).0, &["--versions"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("encoder=algorithm1 makes a version for each change"));
}
