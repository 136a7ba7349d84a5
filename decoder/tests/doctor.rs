//! `lucce-decode doctor`: what it finds in logs that are well, ill and cut, and what it says of
//! what is no JVM.
//!
//! Invariant: goldens in `tests/golden` are what people see; `BLESS=1` renews them.
//! Source: docs/guide/production.md.

mod common;
#[path = "doctor/job.rs"]
mod job;
#[path = "doctor/runs.rs"]
mod runs;

use std::path::Path;
use std::process::{Command, Output};

use common::Program;
use lucce_log::{Header, Record};
use lucce_words::EdgeId;
use runs::{bytes, count, ill, program, well};

const BIN: &str = env!("CARGO_BIN_EXE_lucce-decode");

fn run(test: &str, bytes: &[u8], args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("events.log"), bytes).expect("a log");
    Command::new(BIN).args(["doctor", "events.log"]).args(args).current_dir(folder).output().expect("it runs")
}

/// Compares with the golden, and gives the standard error.
fn check(golden: &str, bytes: &[u8], args: &[&str], status: i32) -> String {
    let output = run(golden, bytes, args);
    let version = env!("CARGO_PKG_VERSION");
    let printed = String::from_utf8(output.stdout).expect("text");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{printed}{errors}");
    // A new version of Lucce does not change what is found.
    let printed =
        printed.replace(&format!("lucce {version}"), "lucce V").replace(&format!("decode {version}"), "decode V");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{golden}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &printed).expect("a golden");
    }
    assert_eq!(printed, std::fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
    errors
}

#[test]
fn a_run_that_is_well_has_nothing_to_change() {
    assert_eq!(check("doctor-well", &bytes(&well(), |_| {}), &[], 0), "");
}

#[test]
fn a_run_that_is_ill_is_told_what_to_change() {
    let options = |header: &mut Header| header.options = "alloc=512k,verify=1000".into();
    assert_eq!(check("doctor-ill", &bytes(&ill(), options), &[], 1), "");
    assert_eq!(check("doctor-ill-json", &bytes(&ill(), options), &["--format", "json"], 1), "");
}

#[test]
fn a_cut_log_is_told_so_and_exits_with_3_like_other_views() {
    let whole = bytes(&well(), |_| {});
    let mut program = program(3);
    program.next_block();
    program.record(Record::Note { text: "never written".into() });
    let (_, starts) = program.file();
    let header = bytes(&program, |_| {});
    let cut = &header[..header.len() - (program.file().0.len() - starts[1])];
    let errors = check("doctor-cut", cut, &[], 3);
    assert!(errors.starts_with("lucce-decode: cut log") && errors.lines().count() == 1, "{errors}");
    let mut damaged = whole;
    let end = damaged.len();
    damaged[end - 5] ^= 1;
    let printed = String::from_utf8(run("doctor-damaged", &damaged, &[]).stdout).expect("text");
    assert!(
        printed.contains("\nchange  damaged log, offset ") && printed.contains("; copy the file again"),
        "{printed}"
    );
}

/// What it says to type can be typed where it was typed.
#[test]
fn the_file_where_a_run_goes_on_is_named_with_its_folder() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doctor-folder");
    std::fs::create_dir_all(folder.join("logs")).expect("a folder");
    std::fs::write(folder.join("logs/events.log"), bytes(&ill(), |_| {})).expect("a log");
    let output = Command::new(BIN).args(["doctor", "logs/events.log"]).current_dir(folder).output().expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("lucce-decode doctor logs/events-2.log\n"), "{printed}");
}

#[test]
fn short_runs_are_not_judged_by_their_start() {
    let mut program = program(100);
    count(&mut program, &[("slow.entries", 40_000), ("slow.walks", 700), ("slow.looks", 5_000)]);
    program.record(Record::End);
    check("doctor-short", &bytes(&program, |_| {}), &[], 0);
}

#[test]
fn a_run_that_was_started_late_and_killed_at_once_is_well() {
    let said = |notes: &[&str]| {
        let mut program = Program::default();
        for text in notes {
            program.record(Record::Note { text: (*text).into() });
        }
        program.record(Record::End);
        let late = |header: &mut Header| header.options = "start=off,alloc=64k".into();
        let output = run(&format!("doctor-late-{}", notes.len()), &bytes(&program, late), &[]);
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (status, printed) = said(&[]);
    assert!(status == Some(1) && printed.contains("\nchange  start=off, and it was not started: "), "{printed}");
    let (status, printed) = said(&["started late: 2 classes were rewritten"]);
    assert!(status == Some(1) && printed.contains("\nchange  no class has hooks: "), "{printed}");
    let told = ["started late: 2 classes were rewritten", "killed: 2 classes are as they were"];
    let (status, printed) = said(&told);
    assert!(status == Some(0) && printed.contains("\nnote    no events: "), "{printed}");
}

#[test]
fn a_run_without_times_is_judged_by_its_graph() {
    let mut program = program(0);
    count(&mut program, &[("slow.entries", 200_000)]);
    program.record(Record::End);
    let output = run("doctor-timeless", &bytes(&program, |_| {}), &[]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("\nchange  200 000 slow entries, 200 000 for each edge of the call graph: "), "{printed}");
}

#[test]
fn walks_below_methods_that_sleep_are_fewer_if_they_wake() {
    for (sleepers, remedy) in [(0, "exclude=<globs>"), (9, "awake=<globs>")] {
        let mut program = program(0);
        count(&mut program, &[("slow.walks", 3_000_000), ("demand.sleepers", sleepers)]);
        program.record(Record::End);
        let output = run(&format!("doctor-sleepers-{sleepers}"), &bytes(&program, |_| {}), &[]);
        let printed = String::from_utf8(output.stdout).expect("text");
        assert!(printed.contains("\nchange  3 000 000 stack walks") && printed.contains(remedy), "{printed}");
    }
    // As many as are walked before methods wake say nothing, where some sleep.
    for (sleepers, told) in [(0, true), (9, false)] {
        let mut program = program(8_000);
        let walks = [("slow.walks", 40_000), ("alloc.events", 8_000), ("alloc.walks", 7_000)];
        count(&mut program, &[&walks[..], &[("demand.sleepers", sleepers)]].concat());
        program.record(Record::End);
        let output = run(&format!("doctor-meant-{sleepers}"), &bytes(&program, |_| {}), &[]);
        let printed = String::from_utf8(output.stdout).expect("text");
        for walks in ["stack walks", "whole stacks walked"] {
            assert_eq!(printed.contains(walks), told, "{printed}");
        }
    }
}

/// What is printed of a run with these counters and options, and its exit status.
fn told(test: &str, events: usize, counters: &[(&str, u64)], options: &str) -> (String, Option<i32>) {
    let mut program = program(events);
    count(&mut program, counters);
    program.record(Record::End);
    let output = run(test, &bytes(&program, |header| header.options = options.into()), &[]);
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

#[test]
fn walks_are_what_a_run_without_hooks_means() {
    let walks = [("slow.walks", 40_000), ("slow.event_walks", 40_000)];
    for (options, much) in [("alloc=512k,hooks=off", false), ("hooks=off,hooks=demand", true)] {
        let (printed, _) = told("doctor-hookless", 8_000, &walks, options);
        assert_eq!(printed.contains("40 000 stack walks"), much, "{printed}");
    }
    let (printed, _) = told("doctor-hookless", 8_000, &[("slow.walks", 3_000_000)], "hooks=off");
    assert!(printed.contains("start the JVM with the agent and hooks=demand"), "{printed}");
}

#[test]
fn contexts_that_are_forgotten_are_not_in_memory() {
    let told = |forgotten| {
        let counters = [("contexts.captured", 6_000_000), ("contexts.forgotten", forgotten)];
        told("forgotten", 8_000, &counters, "hooks=off,alloc=512k").0
    };
    let (few, many) = (told(1_000_000), told(1_000_001));
    assert!(few.contains("6 000 000 contexts captured: they stay in memory and in each file of the log;"), "{few}");
    assert!(many.contains("6 000 000 contexts captured: they stay in each file of the log;"), "{many}");
}

#[test]
fn drops_count_by_their_share() {
    for (dropped, finding) in [(41, false), (19_000, false), (21_000, true)] {
        let counters = [("events", 20_000_000), ("events.dropped", dropped), ("alloc.dropped", 0)];
        let (printed, status) = told(&format!("doctor-dropped-{dropped}"), 3, &counters, "alloc=512k");
        assert_eq!((printed.contains("dropped"), status), (finding, Some(i32::from(finding))), "{printed}");
    }
}

#[test]
fn who_has_asked_for_nothing_is_told_what_to_ask_for() {
    for options in ["", "file=a.log,locks=off,alloc=off", "verify=1"] {
        let (printed, _) = told("doctor-no-source", 0, &[("verify.checks", 1)], options);
        assert!(
            printed.contains("\nnote    no event source was asked for: ") && printed.contains("alloc=512k"),
            "{printed}"
        );
        assert!(!printed.contains("has hooks"), "{printed}");
    }
    for options in ["alloc=64k", "locks=on", "exceptions=a.*", "leaks"] {
        let (printed, _) = told("doctor-a-source", 0, &[], options);
        assert!(printed.contains("\nnote    no events: ") && !printed.contains("no event source"), "{printed}");
    }
}

#[test]
fn a_glob_that_has_matched_nothing_is_named() {
    let counters = [
        ("glob.include=com.acme.*", 1),
        ("glob.include=com.nix.*", 0),
        ("glob.exclude=x.Y", 0),
        ("glob.entries=a.b", 0),
    ];
    let (printed, status) = told("doctor-globs", 3, &counters, "alloc=512k");
    for line in ["change  include=com.nix.* is idle", "change  entries=a.b is idle", "note    exclude=x.Y is idle"] {
        assert!(printed.contains(&format!("\n{line}: it matched no ")), "{line}: {printed}");
    }
    assert!(status == Some(1) && !printed.contains("com.acme"), "{printed}");
}

#[test]
fn too_few_collections_for_a_leak_are_told() {
    for (seen, told_so) in [(0, true), (5, true), (6, false)] {
        let (printed, status) = told(&format!("doctor-leaks-{seen}"), 3, &[("leaks.collections", seen)], "leaks");
        let line = format!("\nnote    leaks: {seen} of 6 old collections seen: ");
        assert_eq!((printed.contains(&line), status), (told_so, Some(0)), "{printed}");
        assert_eq!(printed.contains("jcmd <pid> GC.run"), told_so, "{printed}");
    }
}

/// The first block says what the disk refused, whatever older counters say.
#[test]
fn a_full_disk_is_named_with_what_it_cost() {
    let mut program = program(3);
    let dropped = vec![("events.dropped".into(), 285_052), ("alloc.dropped".into(), 285_052)];
    program.record(Record::Refused { ended: true, dropped });
    count(&mut program, &[("events.dropped", 7), ("alloc.events", 3)]);
    let output = run("doctor-full", &bytes(&program, |_| {}), &[]);
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("\nchange  the disk was full, 285 052 events dropped: the log has no end"), "{printed}");
    assert!(printed.contains("alloc: 285 052 of 285 055 events (100.0 %) dropped: the disk was full"), "{printed}");
    assert!(output.status.code() == Some(3) && said.contains("the disk was full; 285 052 events dropped"), "{said}");
    assert!(!printed.contains("killed") && !printed.contains("keep up") && !said.contains("killed"), "{printed}{said}");
}

#[test]
fn stalls_count_by_their_share_and_length_and_versions_by_their_number() {
    let with = |test: &str, versions: usize, total: u64, longest: u64| {
        let mut program = program(8_000);
        (1..versions).for_each(|_| program.renumber());
        count(&mut program, &[("stall.total_ns", total), ("stall.longest_ns", longest)]);
        program.record(Record::End);
        let output = run(test, &bytes(&program, |_| {}), &[]);
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (status, printed) = with("doctor-stalls", 2, 130_000_000, 9_000_000);
    assert!(
        status == Some(1) && printed.contains("\nchange  2 versions, the longest stall 0.009 s, 0.130 s in"),
        "{printed}"
    );
    let (status, printed) = with("doctor-stall", 2, 110_000_000, 105_000_000);
    assert!(status == Some(1) && printed.contains("\nchange  2 versions, the longest stall 0.105 s, "), "{printed}");
    let (status, printed) = with("doctor-versions", 91, 110_000_000, 9_000_000);
    assert!(status == Some(0) && printed.contains("\nnote    91 versions of the numbering: "), "{printed}");
}

#[test]
fn records_that_do_not_fit_in_whole_blocks_are_a_defect() {
    let mut program = program(3);
    program.record(Record::Unrolled { edge: EdgeId(99) });
    program.record(Record::End);
    let output = run("doctor-unusable", &bytes(&program, |_| {}), &[]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("\nchange  1 record and 0 events unusable: "), "{printed}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn the_header_tells_of_versions_and_encoders() {
    let printed = |change: fn(&mut Header)| {
        let output = run("doctor-header", &bytes(&well(), change), &[]);
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    type Case = (fn(&mut Header), i32, &'static str);
    let cases: [Case; 6] = [
        (|header| header.agent = "lucce 0.0.7".into(), 0, "note    written by lucce 0.0.7, read by lucce-decode "),
        (
            |header| header.jvm = "OpenJDK 64-Bit Server VM 26-ea+3".into(),
            0,
            "note    the JVM is OpenJDK 64-Bit Server VM 26-ea+3: ",
        ),
        (
            |header| header.jvm = "OpenJDK 64-Bit Server VM 10.0.2+13".into(),
            1,
            "change  the JVM is OpenJDK 64-Bit Server VM 10.0.2+13: ",
        ),
        (|header| header.encoder = "count".into(), 1, "change  encoder=count keeps no contexts: "),
        (|header| header.encoder = "cct".into(), 0, "note    encoder=cct ran: "),
        (|header| header.options = "alloc=512k,verify=1".into(), 1, "change  verify made no check: "),
    ];
    for (change, status, line) in cases {
        let (code, text) = printed(change);
        assert!(code == Some(status) && text.contains(&format!("\n{line}")), "{status} {line}:\n{text}");
    }
}

#[test]
fn an_empty_log_says_why_and_a_contexts_loss_without_an_event_is_known() {
    let mut empty = Program::default();
    empty.record(Record::End);
    let output = run("doctor-empty", &bytes(&empty, |_| {}), &[]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.code() == Some(1) && printed.contains("\nchange  no class has hooks: "), "{printed}");
    let mut silent = program(0);
    count(&mut silent, &[("contexts.lost", 9)]);
    silent.record(Record::End);
    let output = run("doctor-silent", &bytes(&silent, |_| {}), &[]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(
        printed.contains("\nnote    no events: ") && printed.contains("\nnote    9 contexts lost, none of an event"),
        "{printed}"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_is_no_log_exits_with_2() {
    let output = run("doctor-no-log", b"PK\x03\x04 not a log", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "lucce-decode: events.log: not a Lucce log\n");
}
