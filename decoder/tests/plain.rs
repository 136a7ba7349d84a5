//! Names that a program chose so that they look like something else: text stays what it is.
//!
//! Invariant: of all that is printed as text, only our own line ends are control characters.
//! Source: docs/FORMAT.md, "What lucce-decode prints".

mod common;

use common::shell::{folder, run, run_in, text};
use common::{Program, header};
use lucce_encoding::Passage;
use lucce_log::{Header, Record, encode_header};
use lucce_words::{EdgeId, SiteId};

/// What would clear the screen and forge a line, and turn what follows around; in it a surrogate
/// that stands alone.
const EVIL: &str = "x\u{1b}[2J\r\nevent 99: forged\u{9b}\u{2028}\u{202e}\u{10FFFD}\u{E000}";

/// A run in which every name is such a one.
fn bytes() -> Vec<u8> {
    let mut program = Program::default();
    program.record(Record::Thread { id: 1, name: EVIL.into(), java_id: 1 });
    let method = program.method(&format!("a/{EVIL}"), EVIL, "()V");
    let at = program.site(method, 0, Some(1));
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, method, Passage::Plain);
    program.call(&mut stack, at, method, Passage::Plain);
    let frames = [EVIL.into(), format!("{EVIL}(native method)").as_str().into()].to_vec();
    program.record(Record::Via { edge: EdgeId(1), frames });
    program.event(&mut stack, at, (EVIL, 1), Some(EVIL), common::walked());
    program.event(&mut stack, at, ("a;b", 1), None, Vec::new());
    program.event(&mut stack, at, ("leak", 1), Some(EVIL), Vec::new());
    let (class, method, reason) = (EVIL.into(), Some(EVIL.into()), EVIL.into());
    program.record(Record::Skip { class, method, reason });
    program.record(Record::Counters { values: vec![(EVIL.into(), 1)] });
    program.record(Record::Note { text: EVIL.into() });
    program.record(Record::Mismatch { text: EVIL.into() });
    program.record(Record::Rotated { next: EVIL.into() });
    let header = Header {
        agent: EVIL.into(),
        jvm: EVIL.into(),
        options: format!("leaks,{EVIL}"),
        host: EVIL.into(),
        encoder: EVIL.into(),
        ..header()
    };
    let (file, starts) = program.file();
    [encode_header(&header), file[starts[0]..].to_vec()].concat()
}

fn check(view: &str, printed: &str) {
    let unseen =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{2028}' | '\u{202e}' | '\u{10FFFD}' | '\u{E000}');
    assert!(!printed.contains(unseen), "{view}: {printed:?}");
    // A note and a mismatch have lines of their own, which are indented.
    assert!(!printed.lines().any(|line| line.starts_with("event 99")), "{view}: {printed}");
}

#[test]
fn no_view_prints_control_characters() {
    let views: [&[&str]; 9] = [
        &[],
        &["--events"],
        &["--stats"],
        &["--graph"],
        &["--top", "9"],
        &["--context", "c0"],
        &["--format", "collapsed"],
        &["--kind", EVIL],
        &["--kind", "none"],
    ];
    for args in views {
        let output = run("plain", &bytes(), args);
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(printed.contains("\\u{1b}[2J\\r\\nevent 99") || args == ["--stats"], "{args:?}: {printed}");
        check(&args.join(" "), &printed);
    }
    for command in ["doctor", "leaks"] {
        let output = run_in(&folder("plain", &bytes()), &[command, "events.log"]);
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(printed.contains("\\u{1b}[2J"), "{command}: {printed}");
        check(command, &printed);
    }
}

#[test]
fn a_collapsed_stack_is_one_line_whose_parts_are_frames() {
    let printed = text(&run("plain-collapsed", &bytes(), &["--format", "collapsed"]).stdout);
    assert_eq!(printed.lines().count(), 3, "{printed}");
    assert!(
        printed.lines().any(|line| line.starts_with("[a\\u{3b}b];a.") && line.split(';').count() == 3),
        "{printed}"
    );
}
