//! A log of several files: each decoded alone, together what one file would hold; followed while it
//! grows; damaged, killed, and where it cannot be written.
//!
//! Invariant: no event is lost or doubled at the border of two files, and each has its whole trace.
//! Source: docs/guide/production.md; docs/FORMAT.md, "Files and keyframes".

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use lucce_jvm_tests::{Jvm, Outcome, Program, Run, Scratch, decode, place, until};
use serde_json::Value;

/// Small files with keyframes in them, all kept.
const SMALL: &str = "rotate=16k,keep=all,keyframe=8k";
const THREADS: usize = 3;
/// Enough for several files, however fast they come: the faster, the more of them share a block,
/// and the better they pack.
const EVENTS: usize = 5000;

fn steady(jvm: &Jvm, scratch: &Scratch) -> Run {
    let run = Run::hazard(jvm, "Steady").within(scratch);
    run.argument(THREADS.to_string()).argument(EVENTS.to_string())
}

/// The files of a run in their order.
fn files(scratch: &Scratch) -> Vec<PathBuf> {
    let number = |path: &Path| -> Option<u32> {
        path.file_name()?.to_str()?.strip_prefix("part-")?.strip_suffix(".log")?.parse().ok()
    };
    let mut files: Vec<(u32, PathBuf)> = fs::read_dir(scratch.path())
        .expect("the folder")
        .flatten()
        .filter_map(|entry| Some((number(&entry.path())?, entry.path())))
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

/// What is the same in every run: kind, value and frames.
fn facts(events: &[Value]) -> Vec<String> {
    // Not the hidden classes on the way: their names hold a number of the run.
    let frame = |frame: &Value| ["class", "method", "desc", "line", "bci"].map(|key| frame[key].to_string()).join(" ");
    let frames =
        |event: &Value| -> Vec<String> { event["frames"].as_array().into_iter().flatten().map(frame).collect() };
    let mut facts: Vec<String> =
        events.iter().map(|event| format!("{} {} {:?}", event["value"], event["kind"], frames(event))).collect();
    facts.sort();
    facts
}

fn succeeded(outcome: &Outcome) {
    assert!(outcome.success() && outcome.stdout.contains("sum "), "{outcome}");
}

/// `options` begin with a comma, or are none.
fn rotated(feature: u32, options: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("rotation", feature);
    let whole = steady(&jvm, &scratch).agent(&format!("quiet,rotate=off,keyframe=off{options}")).go();
    succeeded(&whole);
    let expected = decode(whole.log()).events();
    assert_eq!(expected.len(), THREADS * EVENTS);
    let parts = format!("quiet,verify=1,file={},{SMALL}{options}", scratch.file("part-%n.log").display());
    let outcome = steady(&jvm, &scratch).raw_agent(&parts).go();
    succeeded(&outcome);
    let (files, mut union) = (files(&scratch), Vec::new());
    assert!(files.len() > 3, "{files:?}");
    for (at, file) in files.iter().enumerate() {
        let decoded = decode(file);
        let counters = decoded.counters();
        assert!(counters.complete(), "{}: {counters}", file.display());
        assert_eq!(decoded.view(&[]).0, 0, "{}", file.display());
        if at + 1 == files.len() {
            assert_eq!((counters.mismatches(), counters.lost(), counters.counter("events.dropped")), (0, 0, 0));
            assert!(counters.checks() > 0, "{counters}");
        }
        let events = decoded.events();
        assert!(events.iter().all(|event| event["unknown"].is_null()), "each trace is whole: {}", file.display());
        union.extend(events);
    }
    assert!(facts(&union) == facts(&expected), "{} events for {}", union.len(), expected.len());
}

#[test]
fn each_file_decodes_alone_and_all_together_are_one_log_on_11() {
    rotated(11, "");
}

#[test]
fn each_file_decodes_alone_and_all_together_are_one_log_on_17() {
    rotated(17, "");
}

#[test]
fn each_file_decodes_alone_and_all_together_are_one_log_on_21() {
    rotated(21, "");
}

#[test]
fn each_file_decodes_alone_and_all_together_are_one_log_on_25() {
    rotated(25, "");
}

#[test]
fn each_file_of_an_agent_that_rewrites_no_class_decodes_alone() {
    rotated(17, ",hooks=off");
    rotated(25, ",hooks=off");
}

#[test]
fn the_newest_files_are_kept_and_the_first_deletion_is_said() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("keep", jvm.feature);
    let options = format!("file={},rotate=4k,keep=3", scratch.file("part-%n.log").display());
    // Many blocks, however fast they come.
    let run = Run::hazard(&jvm, "Steady").within(&scratch).raw_agent(&options);
    let outcome = run.argument(THREADS.to_string()).argument((4 * EVENTS).to_string()).go();
    succeeded(&outcome);
    let files = files(&scratch);
    assert_eq!(files.len(), 3, "{files:?}");
    assert!(!files.iter().any(|file| file.ends_with("part-1.log")), "{files:?}");
    let said: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("was deleted")).collect();
    assert!(said.len() == 1 && said[0].contains("part-1.log") && said[0].contains("keep="), "{outcome}");
    assert!(files.iter().all(|file| decode(file).counters().complete()), "{outcome}");
}

/// Sends a signal, by the shell's own `kill`: there need not be a program of that name.
fn signal(name: &str, process: u32) -> ExitStatus {
    Command::new("sh").args(["-c", "kill $0 $1", name]).arg(process.to_string()).status().expect("sh runs")
}

#[test]
fn a_run_deletes_no_log_of_another_that_has_its_name() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("shared", jvm.feature);
    let options = |limits: &str| format!("quiet,file={},control=off,{limits}", scratch.file("part.log").display());
    let started = |run: Run| {
        let mut program = Program::start(run.command().stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut first = [0; 8];
        program.stdout.as_mut().expect("piped").read_exact(&mut first).expect("started");
        program
    };
    let run = Run::hazard(&jvm, "Busy").within(&scratch).raw_agent(&options("rotate=32k,keep=2"));
    let mut first = started(run.argument(scratch.file("times")).argument("1"));
    let signal = |name| signal(name, first.id());
    // So that the other begins before the first file's time has come.
    assert!(signal("-STOP").success());
    let run = Run::hazard(&jvm, "Counting").within(&scratch).raw_agent(&options("rotate=off"));
    let second = started(run.argument(scratch.file("end")));
    assert!(scratch.file("part.log.1").exists() && !scratch.file("part-2.log").exists());
    assert!(signal("-CONT").success());
    // By then the first run has done with part.log and part-2.log.
    until("a fifth file", || {
        assert_eq!(first.try_wait().expect("it can be asked"), None);
        scratch.file("part-5.log").exists().then_some(())
    });
    assert!(scratch.file("part.log").exists(), "it is the other run's");
    assert!(!scratch.file("part-2.log").exists(), "it was the first run's own");
    fs::write(scratch.file("end"), "").expect("written");
    let (status, printed, stderr) = second.end();
    assert!(status.success(), "{status}\n{stderr}");
    let counters = decode(&scratch.file("part.log")).counters();
    assert!(counters.complete(), "{counters}");
    assert_eq!(printed.trim(), format!("made {}", counters.figure("decoded_events")));
}

#[test]
fn a_file_that_is_old_enough_is_followed_by_another() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("every", jvm.feature);
    let options = format!("quiet,file={},rotate=off,rotate-every=1s,keep=all", scratch.file("part-%n.log").display());
    let run = Run::hazard(&jvm, "Steady").within(&scratch).raw_agent(&options);
    let run = run.argument("1").argument("100").argument(scratch.file("end"));
    let program = Program::start(run.command().stdout(Stdio::null()));
    // On a busy machine the first file is old before the first event.
    let has_events = |file: &PathBuf| decode(file).counters().figure("events") > 0;
    until("events in two files before the last", || {
        let files = files(&scratch);
        let (_, before) = files.split_last()?;
        (before.iter().filter(|file| has_events(file)).count() > 1).then_some(())
    });
    fs::write(scratch.file("end"), "").expect("written");
    assert!(program.end().0.success());
    let files = files(&scratch);
    let mut steps = Vec::new();
    for file in &files {
        let decoded = decode(file);
        let counters = decoded.counters();
        assert!(counters.complete(), "{}: {counters}", file.display());
        let events = decoded.events();
        assert!(events.iter().all(|event| event["unknown"].is_null()), "{}", file.display());
        steps.extend(events.iter().filter_map(|event| event["value"].as_u64()));
    }
    assert!(steps.iter().copied().eq((0..100).cycle().take(steps.len())), "an event is missing between others");
}

#[test]
fn killed_while_it_rotates_every_file_decodes() {
    let jvm = Jvm::of(17).or_else(|| Jvm::of(21)).expect("there is a JVM");
    for moment in [0, 7] {
        let scratch = Scratch::new("killed", jvm.feature);
        let options = format!("quiet,file={},rotate=32k,keep=all", scratch.file("part-%n.log").display());
        let run = Run::hazard(&jvm, "Busy").within(&scratch).raw_agent(&options);
        let run = run.argument(scratch.file("times")).argument("0");
        let mut child = Program::start(run.command().stdout(Stdio::piped()).stderr(Stdio::null()));
        let mut started = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut started).expect("its first line");
        until("a third file", || (files(&scratch).len() > 2).then_some(()));
        thread::sleep(Duration::from_millis(moment));
        child.kill().expect("it still runs");
        child.wait();
        let files = files(&scratch);
        let mut steps = Vec::new();
        let counted: Vec<_> = files.iter().map(|file| decode(file).counters()).collect();
        for (at, (file, counters)) in files.iter().zip(&counted).enumerate() {
            // A file ends once the next one is begun, which holds nothing but its header until
            // then.
            let behind = counted[at + 1..].iter().map(|counters| counters.figure("blocks")).sum::<u64>();
            assert!(counters.complete() || behind == 0, "{}: {counters}", file.display());
            assert!(!counters.complete() || at + 1 < files.len(), "{}: {counters}", file.display());
            for loss in ["undecodable_events", "lost_records", "lost_versions", "malformed_blocks"] {
                assert_eq!(counters.figure(loss), 0, "{loss} in {}", file.display());
            }
            let events = decode(file).events();
            assert!(events.iter().all(|event| event["unknown"].is_null()), "{}", file.display());
            steps.extend(events.iter().filter_map(|event| event["value"].as_u64()));
        }
        assert!(files.len() > 1, "{files:?}");
        assert!(steps.iter().copied().eq(0..steps.len() as u64), "an event is missing between others");
    }
}

#[test]
fn damage_ends_at_the_next_keyframe() {
    let jvm = Jvm::of(21).expect("there is a JVM");
    let scratch = Scratch::new("damage", jvm.feature);
    let events = 10 * EVENTS;
    let run = Run::hazard(&jvm, "Steady").within(&scratch).agent("quiet,keyframe=8k");
    // A busy machine comes to the first event before the first block is written, so it waits for a
    // second.
    let outcome = run.argument("1").argument(events.to_string()).argument("1000").go();
    succeeded(&outcome);
    let mut bytes = fs::read(outcome.log()).expect("the log");
    // Classes, methods and the first edges are there.
    for byte in &mut bytes[700..3000] {
        *byte ^= 0x5A;
    }
    fs::write(outcome.log(), bytes).expect("written");
    let (status, _, complaint) = decode(outcome.log()).view(&[]);
    assert_eq!(status, 3, "{complaint}");
    let counters = decode(outcome.log()).counters();
    let figures = ["events", "decoded_events", "undecodable_events", "lost_records", "lost_versions"];
    assert_eq!(figures.map(|name| counters.figure(name)), [events as u64, events as u64, 0, 0, 0], "{complaint}");
}

fn followed(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("follow", jvm.feature);
    let options = format!("quiet,file={},{SMALL}", scratch.file("part-%n.log").display());
    let run = Run::hazard(&jvm, "Steady").within(&scratch).raw_agent(&options);
    let run = run.argument(THREADS.to_string()).argument(EVENTS.to_string());
    let mut child = Program::start(run.command().stdout(Stdio::null()).stderr(Stdio::null()));
    let first = scratch.file("part-1.log");
    until("a log", || first.exists().then_some(()));
    let follow = |format: &str| {
        Command::new(&place().decode)
            .args(["--follow", "--format", format])
            .arg(&first)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the decoder starts")
    };
    let (json, text) = (follow("json"), follow("text"));
    assert!(child.wait().success());
    let json = json.wait_with_output().expect("it ends with the log");
    let text = text.wait_with_output().expect("it ends with the log");
    assert!(json.status.success() && text.status.success(), "{}", String::from_utf8_lossy(&json.stderr));
    let lines = String::from_utf8(json.stdout).expect("text");
    let seen: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let union: Vec<Value> = files(&scratch).iter().flat_map(|file| decode(file).events()).collect();
    assert_eq!(union.len(), THREADS * EVENTS);
    assert_eq!(seen, union);
    let heads = String::from_utf8(text.stdout).expect("text").lines().filter(|line| line.starts_with("event ")).count();
    assert_eq!(heads, union.len());
}

#[test]
fn a_log_is_followed_from_file_to_file_to_its_end_on_11() {
    followed(11);
}

#[test]
fn a_log_is_followed_from_file_to_file_to_its_end_on_17() {
    followed(17);
}

#[test]
fn a_log_is_followed_from_file_to_file_to_its_end_on_21() {
    followed(21);
}

#[test]
fn a_log_is_followed_from_file_to_file_to_its_end_on_25() {
    followed(25);
}

#[test]
fn following_ends_when_it_is_interrupted() {
    let jvm = Jvm::of(25).expect("there is a JVM");
    let scratch = Scratch::new("interrupt", jvm.feature);
    let run = Run::hazard(&jvm, "Steady").within(&scratch).agent("quiet");
    let run = run.argument("1").argument("100").argument(scratch.file("end"));
    let mut child = Program::start(run.command().stdout(Stdio::null()).stderr(Stdio::null()));
    let log = scratch.file("events.log");
    until("a log", || log.exists().then_some(()));
    let mut follow =
        Command::new(&place().decode).arg("--follow").arg(&log).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut out = follow.stdout.take().expect("piped");
    // It prints while the program runs.
    let mut first = [0; 6];
    out.read_exact(&mut first).expect("an event");
    assert_eq!(&first, b"event ");
    let reader = thread::spawn(move || _ = std::io::copy(&mut out, &mut std::io::sink()));
    assert!(signal("-INT", follow.id()).success());
    assert!(follow.wait().expect("it ends").success());
    reader.join().expect("it ends too");
    assert!(child.try_wait().expect("it can be asked").is_none(), "the program still runs");
    fs::write(scratch.file("end"), "").expect("written");
    assert!(child.wait().success());
}

#[test]
fn where_the_working_directory_cannot_be_written_the_log_is_in_the_temporary_one() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("read-only", jvm.feature);
        let temporary = format!("-Djava.io.tmpdir={}", scratch.path().display());
        let run = Run::hazard(&jvm, "Hello").option("-XX:-UsePerfData").option(temporary).raw_agent("file=here-%p.log");
        // Nobody creates files there, root included.
        let output = run.argument("3").command().current_dir("/sys").output().expect("java runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && output.stdout == b"hello\n", "{stderr}");
        let logs: Vec<PathBuf> =
            fs::read_dir(scratch.path()).expect("the folder").flatten().map(|entry| entry.path()).collect();
        let [log] = &logs[..] else { panic!("{logs:?}: {stderr}") };
        let said: Vec<&str> = stderr.lines().filter(|line| line.contains("working directory")).collect();
        assert!(said.len() == 1 && said[0].contains(&log.display().to_string()), "{stderr}");
        assert_eq!(decode(log).events().len(), 3);
    }
}
