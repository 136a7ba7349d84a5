//! Start-up: what stops it, what it says, and how the log file comes to be.
//!
//! Invariant: a wrong option stops the JVM before the program runs, in one line; nothing else that
//! the agent meets harms the program.
//! Source: docs/guide/options.md; docs/FORMAT.md.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, place};

const NAMES: [&str; 10] =
    ["file", "include", "exclude", "alloc", "entries", "verify", "dump", "encoder", "quiet", "help"];

fn hello(jvm: &Jvm, scratch: &Scratch) -> Run {
    Run::hazard(jvm, "Hello").within(scratch)
}

fn ran(outcome: &Outcome) -> bool {
    outcome.success() && outcome.stdout == "hello\n"
}

#[test]
fn a_wrong_option_stops_the_start_in_one_short_line() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("wrong-option", jvm.feature);
        for (wrong, right) in [
            ("verfy=1", "did you mean verify=1?"),
            ("alloc=-1", "512k"),
            ("file=", "file=app.log"),
            ("quiet=yes", "on or off"),
            ("verify=1,nonsense", "help lists all"),
        ] {
            let outcome = hello(&jvm, &scratch).raw_agent(wrong).go();
            let named = wrong.rsplit(',').next().and_then(|option| option.split('=').next()).unwrap_or(wrong);
            assert!(
                !outcome.success() && !outcome.stdout.contains("hello"),
                "{wrong} did not stop the start:\n{outcome}"
            );
            let lines = outcome.said();
            assert_eq!(lines.len(), 1, "{wrong}: one line\n{outcome}");
            assert!(lines[0].contains(named), "{wrong}: the line names it\n{outcome}");
            assert!(lines[0].contains(right) && lines[0].len() < 120, "{wrong}: it says what is right\n{outcome}");
        }
        assert_eq!(fs::read_dir(scratch.path()).map(Iterator::count).ok(), Some(0), "no file is left behind");
    }
}

#[test]
fn help_lists_every_option() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("help", jvm.feature);
    let outcome = hello(&jvm, &scratch).raw_agent("help").go();
    let text = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(NAMES.iter().all(|name| text.contains(name)), "{outcome}");
    assert!(!text.contains("panicked") && !text.contains("SIG"), "{outcome}");
}

#[test]
fn without_options_the_log_is_named_by_pid_and_time() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("default-name", jvm.feature);
        let outcome = hello(&jvm, &scratch).raw_agent("").go();
        assert!(ran(&outcome), "{outcome}");
        let names: Vec<_> = fs::read_dir(scratch.path()).expect("the folder").flatten().map(|e| e.path()).collect();
        assert_eq!(names.len(), 1, "{names:?}");
        let name = names[0].file_name().expect("a name").to_string_lossy().into_owned();
        let middle = name.strip_prefix("lucce-").and_then(|n| n.strip_suffix(".log")).expect("lucce-%p-%t.log");
        assert_eq!(middle.split('-').count(), 2, "{name}");
        assert!(decode(&names[0]).counters().complete());
        assert_eq!(fs::metadata(&names[0]).expect("the log").permissions().mode() & 0o777, 0o600, "owner only");
    }
}

#[test]
fn quiet_prints_nothing() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("quiet", jvm.feature);
    let outcome = hello(&jvm, &scratch).agent("quiet").go();
    assert!(ran(&outcome) && outcome.stderr.is_empty(), "{outcome}");
}

#[test]
fn verify_without_a_check_is_said_and_is_no_success() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("no-checks", jvm.feature);
    let outcome = hello(&jvm, &scratch).agent("verify=1,include=nothing.at.all.*").go();
    assert!(ran(&outcome), "{outcome}");
    assert!(outcome.stderr.contains("no check"), "{outcome}");
    assert_eq!(outcome.counters().checks(), 0);
}

#[test]
fn include_and_exclude_choose_classes() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("include", jvm.feature);
    let run = |options: &str| Run::hazard(&jvm, "Fib").within(&scratch).agent(options).go().counters();
    let (all, fib, rest) =
        (run("quiet"), run("quiet,include=hazards.Fib"), run("quiet,include=hazards.*,exclude=hazards.C*:hazards.F*"));
    assert!(all.figure("classes") > fib.figure("classes") && fib.figure("classes") == 1, "{all}{fib}");
    assert_eq!(rest.figure("classes"), 0, "{rest}");
}

#[test]
fn dump_writes_classes_before_and_after() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("dump", jvm.feature);
    let folder = scratch.file("classes");
    let outcome = hello(&jvm, &scratch).agent(&format!("quiet,dump={}", folder.display())).go();
    assert!(ran(&outcome), "{outcome}");
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{e}\n{outcome}")).flatten().map(|e| e.path()) {
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let hello: Vec<_> = files.iter().filter(|file| file.to_string_lossy().contains("Hello")).collect();
    assert_eq!(hello.len(), 2, "before and after: {files:?}");
    let contents: Vec<_> = hello.iter().map(|file| fs::read(file).expect("a dumped class")).collect();
    assert!(contents.iter().all(|bytes| bytes.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE])) && contents[0] != contents[1]);
}

#[test]
fn an_existing_log_is_moved_aside() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("aside", jvm.feature);
    fs::write(scratch.file("events.log"), "precious").expect("written");
    for _ in 0..2 {
        let outcome = hello(&jvm, &scratch).agent("quiet").go();
        assert!(ran(&outcome) && outcome.counters().complete(), "{outcome}");
    }
    let texts: Vec<_> =
        fs::read_dir(scratch.path()).expect("the folder").flatten().map(|e| fs::read(e.path())).collect();
    assert_eq!(texts.len(), 3, "two earlier files and the log");
    assert!(texts.iter().any(|text| text.as_ref().is_ok_and(|text| text == b"precious")), "the first is unharmed");
}

#[test]
fn a_symbolic_link_is_not_followed() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("link", jvm.feature);
    let target = scratch.file("target");
    fs::write(&target, "precious").expect("written");
    symlink(&target, scratch.file("events.log")).expect("linked");
    let outcome = hello(&jvm, &scratch).agent("quiet").go();
    assert_eq!(fs::read(&target).expect("the target"), b"precious", "{outcome}");
    assert_eq!(outcome.said().len(), 1, "one line says why\n{outcome}");
}

#[test]
fn a_log_that_cannot_be_created_is_said_in_one_line() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("no-folder", jvm.feature);
    for file in ["missing/folder/events.log", "/proc/lucce.log", "/dev/full"] {
        let outcome = hello(&jvm, &scratch).raw_agent(&format!("file={file}")).go();
        let lines = outcome.said();
        assert!(lines.len() == 1 && lines[0].contains(file), "{outcome}");
    }
}

#[test]
fn attached_by_the_jdks_own_means_it_records_and_answers_calls_of_lucce() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("attach", jvm.feature);
        let run = Run::hazard(&jvm, "LateAttach").within(&scratch).option("-Djdk.attach.allowAttachSelf=true");
        let run = if jvm.feature >= 21 { run.option("-XX:+EnableDynamicAgentLoading") } else { run };
        let outcome = run.argument(&place().agent).go();
        assert!(outcome.success() && outcome.stdout == "active: true\n", "{outcome}");
        assert!(outcome.said().iter().any(|line| line.contains(" events in lucce-")), "{outcome}");
    }
}

/// And the log says so, where the options did not.
#[test]
fn a_run_that_only_samples_allocations_rewrites_no_class() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("sampled", jvm.feature);
        let rewritten = |options: &str| {
            let outcome =
                Run::target(&jvm, "leaks.SessionCache").within(&scratch).agent(&format!("quiet,{options}")).go();
            assert!(outcome.success(), "{outcome}");
            let counters = outcome.counters();
            assert!(counters.counter("alloc.events") > 100, "{counters}");
            let (_, screen, _) = decode(outcome.log()).view(&[]);
            (counters.counter("classes.rewritten") > 0, screen.contains(&format!("{options},hooks=off")))
        };
        for options in ["alloc=64k", "leaks=64k"] {
            assert_eq!(rewritten(options), (false, true), "{options} on {}", jvm.feature);
        }
        for options in ["alloc=64k,hooks=demand", "alloc=64k,exceptions"] {
            assert_eq!(rewritten(options), (true, false), "{options} on {}", jvm.feature);
        }
    }
}

#[test]
fn events_of_the_api_carry_their_traces_and_values() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("events", jvm.feature);
        let outcome = hello(&jvm, &scratch).agent("verify=1").argument("500").go();
        assert!(ran(&outcome), "{outcome}");
        outcome.verified();
        let events = decode(outcome.log()).events();
        let values: i64 = events.iter().filter(|e| e["kind"] == "hello").filter_map(|e| e["value"].as_i64()).sum();
        assert_eq!((events.len(), values), (500, 500 * 499 / 2), "{outcome}");
        let frames = events[7]["frames"].as_array().expect("frames");
        assert_eq!((frames.len(), frames[0]["method"].as_str()), (1, Some("main")), "{}", events[7]);
        assert!(frames[0]["line"].as_u64().is_some(), "{}", events[7]);
    }
}
