//! What `lucce-decode` prints and how it exits, on a log of a small shop.
//!
//! Invariant: goldens in `tests/golden` are what people see; `BLESS=1` renews them.
//! Source: docs/guide/decoder.md.

mod common;
#[path = "cli/records.rs"]
mod records;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use common::shell::{BIN, folder, run, text};
use common::{Activation, Program, walked};
use lucce_encoding::Passage;
use lucce_log::Record;
use lucce_words::{EdgeId, Lost, NodeId, SiteId, Word};

/// A shop: orders from a pool's threads, a recursive tree of parts, prices through a comparator.
fn shop() -> Program {
    let mut program = Program::default();
    let names = [
        ("com/example/shop/Server$Worker", "run", "()V"),
        ("com/example/shop/web/OrderController", "placeOrder", "(J)V"),
        ("com/example/shop/stock/Part", "weigh", "()I"),
        ("com/example/shop/stock/Prices", "compare", "(Ljava/lang/Object;Ljava/lang/Object;)I"),
        ("org/example/extraordinarily/long/packages/of/some/library/InternalBufferPool", "allocateDirect", "(I)[B"),
        ("com/example/shop/Generated", "apply", "()V"),
    ];
    let methods = names.map(|(class, name, desc)| program.method(class, name, desc));
    let [run, place, weigh, compare, buffer, apply] = methods;
    let lines = [(run, 7, 31), (place, 12, 58), (place, 40, 61), (weigh, 5, 19), (compare, 9, 77), (buffer, 2, 240)];
    let sites = lines.map(|(method, bci, line)| program.site(method, bci, Some(line)));
    let [run_at, place_at, sort_at, weigh_at, compare_at, buffer_at] = sites;
    let apply_at = program.site(apply, 0, None);

    let mut base: Vec<Activation> = Vec::new();
    program.call(&mut base, SiteId::ROOT, run, Passage::Plain);
    program.call(&mut base, run_at, place, Passage::Plain);
    program.event(&mut base, place_at, ("alloc", 524_288), Some("[B"), Vec::new());
    program.next_block();
    let mut deep = base.clone();
    program.call(&mut deep, place_at, weigh, Passage::Plain);
    for _ in 0..12 {
        program.call(&mut deep, weigh_at, weigh, Passage::Plain);
    }
    for value in [700_000, 524_304] {
        program.event(&mut deep, weigh_at, ("alloc", value), Some("java/util/HashMap$Node"), walked());
    }
    program.renumber();
    let mut sorting = base.clone();
    program.call(&mut sorting, sort_at, compare, Passage::Restoring);
    let edge = program.encoder.snapshot().edges().map(|(id, _)| id).max().unwrap_or(EdgeId(0));
    let frames = ["java.util.TimSort.sort".into(), "java.util.ArrayList.sort".into()].to_vec();
    program.record(Record::Via { edge, frames });
    program.event(&mut sorting, compare_at, ("alloc", 24), Some("java/lang/Integer"), Vec::new());
    program.call(&mut sorting, compare_at, buffer, Passage::Plain);
    program.event(&mut sorting, buffer_at, ("alloc", 9 << 20), Some("[[Ljava/lang/String;"), Vec::new());
    program.next_block();
    let mut generated = base.clone();
    program.call(&mut generated, sort_at, apply, Passage::Plain);
    program.captured_event(&mut generated, apply_at, ("order", -12));
    program.event(&mut generated, apply_at, ("order", 1_000_000), None, Vec::new());
    let lost = Word::lost(Lost::Memory);
    program.push_event(vec![], (lost, weigh_at, NodeId(0), NodeId(0)), ("order", 3), None, Vec::new());
    let skip = |class: &str, method: Option<&str>, reason: &str| Record::Skip {
        class: class.into(),
        method: method.map(Into::into),
        reason: reason.into(),
    };
    program.record(skip("com/example/shop/Huge", Some("parse()V"), "METHOD_TOO_LARGE"));
    program.record(skip("com/example/shop/Odd", None, "MALFORMED"));
    let counters = [
        ("verify.checks", 1234),
        ("verify.distinct", 321),
        ("verify.mismatches", 0),
        ("verify.lost", 1),
        ("events.dropped", 0),
        ("slow.entries", 4096),
    ];
    program.record(Record::Counters { values: counters.map(|(name, value)| (name.to_owned(), value)).to_vec() });
    program.record(Record::Note { text: "another agent is present".into() });
    program.record(Record::End);
    program
}

fn check(golden: &str, args: &[&str]) {
    let output = run(golden, &shop().file().0, args);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{golden}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &printed).expect("a golden");
    }
    assert_eq!(printed, std::fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
}

#[test]
fn the_screen() {
    check("screen", &[]);
}

#[test]
fn the_chance_of_a_collision() {
    let mut program = Program::default();
    program.record(Record::Counters { values: vec![("pcc.learned".into(), 10_000_000)] });
    program.record(Record::End);
    let output = run("collision", &program.file().0, &["--stats", "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let chance = stats["chance_of_collision"].as_f64().expect("a number");
    assert!((2.7e-6..2.8e-6).contains(&chance), "{chance}");
}

#[test]
fn the_screen_of_one_kind() {
    check("screen-order", &["--kind", "order"]);
}

#[test]
fn events_with_their_traces() {
    check("events", &["--events"]);
}

#[test]
fn events_as_json() {
    check("events-json", &["--format", "json"]);
}

#[test]
fn collapsed_stacks() {
    check("collapsed", &["--format", "collapsed"]);
}

#[test]
fn collapsed_stacks_of_one_kind() {
    check("collapsed-alloc", &["--format", "collapsed", "--kind", "alloc", "--top", "2"]);
}

#[test]
fn the_top_contexts_in_full() {
    check("top", &["--top", "2"]);
}

#[test]
fn the_top_contexts_as_json() {
    check("top-json", &["--top", "1", "--format", "json"]);
}

#[test]
fn one_context_with_its_events() {
    check("context", &["--context", "c2"]);
}

/// An order in a context of allocations: the kinds stay apart, and the lines are those of the whole
/// log.
#[test]
fn one_context_collapsed_is_its_lines_of_the_whole_log() {
    let (mut program, mut stack, at) = Program::running("run");
    for (kind, value, class) in [("alloc", 1 << 30, Some("[B")), ("alloc", 1 << 31, Some("a/B")), ("order", 3, None)] {
        program.event(&mut stack, at, (kind, value), class, Vec::new());
    }
    program.record(Record::End);
    let expected = "[alloc];a.A.run;a.B 2147483648\n[alloc];a.A.run;byte[] 1073741824\n[order];a.A.run 3\n";
    for args in [&["--context", "c0", "--format", "collapsed"][..], &["--format", "collapsed"]] {
        let output = run("context-collapsed", &program.file().0, args);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{args:?}");
    }
}

#[test]
fn figures() {
    check("stats", &["--stats"]);
}

#[test]
fn figures_as_json() {
    check("stats-json", &["--stats", "--format", "json"]);
}

#[test]
fn the_graph_of_each_version() {
    check("graph-1", &["--graph", "--version", "1"]);
    check("graph-2", &["--graph"]);
}

#[test]
fn the_screen_fits_40_lines_of_80_characters() {
    // A hundred contexts, deeper than the screen and with long names.
    let mut program = Program::default();
    let class = "com/example/some/rather/long/packages/and/names/ApplicationController";
    let method = program.method(class, "handleRequestInternally", "()V");
    let sites: Vec<SiteId> = (0..100).map(|at| program.site(method, at, Some(at))).collect();
    for &site in &sites {
        let mut stack = Vec::new();
        for _ in 0..30 {
            program.call(&mut stack, sites[0], method, Passage::Plain);
        }
        program.event(
            &mut stack,
            site,
            ("alloc", 1 << 40),
            Some("com/example/names/AVeryLongClassName$Builder"),
            walked(),
        );
    }
    program.record(Record::End);
    let printed = on_terminal("fits", &program.file().0, &[]);
    assert!(printed.lines().count() <= 40, "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    assert!(printed.contains("  1.0 % at c.e.s.r.l.p.a.n.ApplicationController.handleRequestI"), "{printed}");
    assert!(printed.contains(" % in 97 other callers\n"), "{printed}");
    // A pipe is not cut.
    let piped = text(&run("fits", &program.file().0, &[]).stdout);
    assert!(
        piped.contains("names.ApplicationController.handleRequestInternally(ApplicationController.java:0)"),
        "{piped}"
    );
}

/// The screen on a terminal of 40 lines with 80 characters, without colours.
fn on_terminal(test: &str, bytes: &[u8], environment: &[(&str, &str)]) -> String {
    let mut script = Command::new("script");
    let command = format!("stty cols 80 rows 40; {BIN} events.log");
    script.args(["-qec", &command, "/dev/null"]).current_dir(folder(test, bytes)).stdin(Stdio::null());
    script.env("TERM", "xterm").env("NO_COLOR", "1").envs(environment.iter().copied());
    let output = script.output().expect("script runs");
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout).replace('\r', "")
}

#[test]
fn a_terminal_has_colours_unless_it_wants_none() {
    let bytes = shop().file().0;
    let coloured = on_terminal("colours", &bytes, &[("NO_COLOR", "")]);
    assert!(
        coloured.contains("\u{1b}[1malloc: 12.0 MiB in 5 events") && coloured.contains("\u{1b}[36mat "),
        "{coloured}"
    );
    for environment in [&[][..], &[("NO_COLOR", ""), ("TERM", "dumb")]] {
        let plain = on_terminal("colours", &bytes, environment);
        assert!(plain.contains("\nalloc: 12.0 MiB in 5 events") && !plain.contains('\u{1b}'), "{plain}");
    }
}

#[test]
fn a_log_without_events_says_how_to_get_some() {
    let mut program = Program::default();
    program.record(Record::End);
    let output = run("empty", &program.file().0, &[]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("No events. The agent's option alloc=512k"), "{printed}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_is_no_log_exits_with_2() {
    let output = run("no-log", b"PK\x03\x04 not a log", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "lucce-decode: events.log: not a Lucce log\n");
    let missing = Command::new(BIN).arg("/nonexistent/events.log").output().expect("it runs");
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_damaged_log_exits_with_3_and_one_line() {
    let (mut bytes, starts) = shop().file();
    bytes[starts[1] + 50] ^= 4;
    let output = run("damaged", &bytes, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let line = String::from_utf8_lossy(&output.stderr);
    let (offset, length) = (starts[1], starts[2] - starts[1]);
    let expected =
        format!("lucce-decode: damaged log, offset {offset}: {length} bytes unreadable, 1 block with 4 events lost; ");
    assert!(line.starts_with(&expected), "{line}");
    assert_eq!(line.lines().count(), 1);
    // The event before the damage, and those behind it as far as they go.
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 4);
}

#[test]
fn a_cut_log_exits_with_3() {
    let (bytes, starts) = shop().file();
    for (end, what) in [(starts[2] + 10, "the file ends within a block, 10 bytes lost"), (starts[2], "no end record")] {
        let output = run("cut", &bytes[..end], &["--events"]);
        assert_eq!(output.status.code(), Some(3));
        let line = String::from_utf8_lossy(&output.stderr);
        assert!(line.contains(&format!("offset {}: {what}", starts[2])), "{line}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).matches("event ").count(), 5);
    }
}

#[test]
fn questions_without_an_answer_exit_with_1() {
    let bytes = shop().file().0;
    for (args, message) in [
        (["--kind", "orders"], "no event kind orders: there is alloc, order"),
        (["--context", "c99"], "no context c99: the log has no such event"),
        (
            ["--context", "x"],
            "no context x: a context is named as in c12, n7 for the captured number 7, or by its fingerprint of 32 digits",
        ),
    ] {
        let output = run("questions", &bytes, &args);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("lucce-decode: {message}\n"));
    }
    let output = run("questions", &bytes, &["--graph", "--version", "9"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "lucce-decode: no version 9: there are 1 to 2\n");
}

#[test]
fn a_closed_pipe_is_no_error() {
    // Far more than a pipe holds.
    let (mut program, mut stack, at) = Program::running("run");
    for _ in 0..20_000 {
        program.event(&mut stack, at, ("mark", 1), None, Vec::new());
    }
    program.record(Record::End);
    for args in [&["--events"][..], &["--format", "json"]] {
        let folder = folder("pipe", &program.file().0);
        let mut child = Command::new(BIN)
            .arg("events.log")
            .args(args)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    }
    std::io::stdout().flush().expect("flushed");
}
