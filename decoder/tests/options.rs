//! The command line itself: what goes together, what help offers, and the exit status.
//!
//! Invariant: an option is honoured or refused, never passed over.
//! Source: docs/guide/decoder.md; docs/FORMAT.md, "Exit status".

mod common;

use common::shell::{run, run_alone, text};
use common::{Program, header};
use lucce_log::{Header, Record, encode_header};

/// A run with one event, in two blocks.
fn program() -> Program {
    let (mut program, mut stack, at) = Program::running("run");
    program.event(&mut stack, at, ("mark", 1), None, Vec::new());
    program.next_block();
    program.record(Record::End);
    program
}

#[test]
fn what_a_view_would_pass_over_is_refused_in_one_line() {
    let bytes = program().file().0;
    for (args, line) in [
        (&["--stats", "--kind", "mark"][..], "--kind chooses among events, --stats does not"),
        (&["--graph", "--kind", "mark"], "--kind chooses among events, --graph does not"),
        (&["--context", "c0", "--kind", "mark"], "--kind chooses among events, --context does not"),
        (&["--graph", "--format", "json"], "--graph prints text"),
        (&["--graph", "--format", "collapsed"], "--graph prints text"),
        (&["--stats", "--format", "collapsed"], "--stats prints text or json"),
        (&["--events", "--format", "collapsed"], "--events prints text or json"),
        (&["--follow", "--format", "collapsed"], "--follow prints text or json"),
    ] {
        let output = run("options-refused", &bytes, args);
        let said = (output.status.code(), text(&output.stdout), text(&output.stderr));
        assert_eq!(said, (Some(2), String::new(), format!("lucce-decode: {line}\n")), "{args:?}");
    }
    for args in [
        &["--events", "--kind", "mark", "--format", "json"][..],
        &["--graph", "--format", "text", "--version", "1"],
        &["--context", "c0", "--format", "collapsed"],
        &["--kind", "mark", "--top", "3", "--format", "collapsed"],
        &["--follow", "--kind", "mark"],
    ] {
        let output = run("options-taken", &bytes, args);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
    }
}

#[test]
fn the_version_is_printed_and_that_of_the_graph_still_chosen() {
    let version = concat!("lucce-decode ", env!("CARGO_PKG_VERSION"), "\n");
    for args in [["-V"], ["--version"]] {
        let output = run_alone(&args);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), version), "{args:?}");
    }
    let output = run("options-version", &program().file().0, &["--graph", "--version", "1"]);
    assert!(text(&output.stdout).starts_with("version 1 of 1: "), "{output:?}");
}

#[test]
fn help_offers_what_is_taken_and_tells_every_exit_status() {
    for command in ["leaks", "doctor", "ctl"] {
        let help = text(&run_alone(&[command, "--help"]).stdout);
        assert!(help.contains(&format!("\nUsage: lucce-decode {command} ")), "{help}");
        assert!(help.contains("Exit status: 0 ") && !help.contains("collapsed"), "{help}");
    }
    for command in ["leaks", "doctor"] {
        let output = run_alone(&[command, "events.log", "--format", "collapsed"]);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("invalid value 'collapsed'"), "{said}");
    }
    let help = text(&run_alone(&["--help"]).stdout);
    for line in ["  0  ", "  1  ", "  2  ", "  3  ", "Memory: "] {
        assert!(help.contains(&format!("\n{line}")), "{line}: {help}");
    }
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(" -V ") && words.contains("exception, monitor, park, cpu, entry"), "{help}");
}

#[test]
fn a_damaged_log_exits_with_3_whatever_it_cannot_answer() {
    let (file, starts) = program().file();
    let plain = [encode_header(&Header { options: "leaks".into(), ..header() }), file[starts[0]..].to_vec()].concat();
    let cut = &plain[..plain.len() - (file.len() - starts[1])];
    for args in [&["--kind", "none"][..], &["--context", "c99"], &["--graph", "--version", "9"], &[]] {
        let output = run("options-damaged", cut, args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines.last().is_some_and(|line| line.starts_with("lucce-decode: cut log, offset ")), "{said}");
        assert_eq!(lines.len(), if args.is_empty() { 1 } else { 2 }, "{said}");
    }
}
