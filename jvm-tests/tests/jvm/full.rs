//! A log that takes no more: a full disk, a pipe whose reader has gone or does not read.
//!
//! Invariant: the program goes on and ends; each of its events is in the log or counted as dropped;
//! one line says what is wrong.
//! Source: docs/guide/production.md.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lucce_jvm_tests::{Jvm, Outcome, Program, Run, Scratch, decode, until};

use crate::control::stats;

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

fn size(log: &Path) -> u64 {
    fs::metadata(log).map_or(0, |file| file.len())
}

/// Waits until events of both kinds were dropped, asking the agent.
fn wait_until_full(socket: &Path) {
    until("a full disk", || {
        let [all, exceptions] = stats(socket, ["events.dropped", "exceptions.dropped"]);
        (all > exceptions && exceptions > 0).then_some(())
    });
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
        names_the_drops(&outcome.stderr, outcome.log());
    }
}

/// The agent's last line, the first screen and the doctor name the same drops: how many.
fn names_the_drops(stderr: &str, log: &Path) -> u64 {
    let last = stderr.lines().find(|line| line.contains(" events in ")).expect("a last line");
    let dropped = last.split_once(" dropped: the log takes no more, and its end is missing").expect("it says so").0;
    let dropped: u64 = dropped.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    let decoded = decode(log);
    let (status, screen, complaint) = decoded.view(&[]);
    let spaced = |line: &str| line.replace(' ', "");
    assert!(spaced(&screen).contains(&format!("{dropped}dropped(diskfull)")), "{dropped}: {screen}");
    assert!(screen.contains("without its end, the disk is full"), "{screen}");
    assert!(status == 3 && complaint.contains("the disk was full") && !complaint.contains("killed"), "{complaint}");
    let (status, report, _) = decoded.view_of("doctor", &[]);
    let found = report.lines().find(|line| line.contains("the disk was full")).expect("the doctor says so");
    assert!(status == 3 && spaced(found).contains(&format!("{dropped}event")), "{dropped}: {report}");
    dropped
}

/// A log that just does not fit: its last blocks, and its end with them, are refused.
#[test]
fn a_disk_that_fills_up_at_the_very_end_is_told() {
    let jvm = Jvm::of(21).expect("there is a JVM");
    let events = 3 * 2_000;
    let run = |scratch: &Scratch| {
        let run = Run::hazard(&jvm, "Steady").within(scratch).agent("hooks=all");
        run.argument("3").argument("2000").limit(60)
    };
    let whole = Scratch::new("fits", jvm.feature);
    let outcome = run(&whole).go();
    assert_eq!(outcome.counters().kind("steady"), events, "{outcome}");
    let size = fs::metadata(outcome.log()).expect("a log").len();
    let scratch = Scratch::new("fits-not", jvm.feature);
    let outcome = run(&scratch).file_size(size - 8 * 512).go();
    assert!(outcome.success(), "{outcome}");
    let dropped = names_the_drops(&outcome.stderr, outcome.log());
    assert_eq!(outcome.counters().kind("steady") + dropped, events, "{outcome}");
}

/// The log goes on from file to file until a small disk is full, and each event is in one of them
/// or counted.
#[test]
fn a_rotation_onto_a_full_disk_loses_no_count() {
    let jvm = Jvm::of(17).expect("there is a JVM");
    let scratch = Scratch::new("small", jvm.feature);
    let disk = scratch.file("disk");
    fs::create_dir(&disk).expect("a folder");
    let options = format!("file={}/events-%n.log,rotate=64k,keep=all,hooks=all", disk.display());
    let run = Run::hazard(&jvm, "Steady").within(&scratch).option("-XX:-UsePerfData").raw_agent(&options);
    let run = run.argument("3").argument("100000").command();
    // What is on it goes with the name space; copies say the same.
    let script = "mount -t tmpfs -o size=400k lucce \"$0\" || exit 77; \"$@\"; s=$?; cp \"$0\"/* .; exit $s";
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(&disk);
    command.arg(run.get_program()).args(run.get_args()).current_dir(scratch.path());
    let output = command.output().expect("unshare runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    let mut logs: Vec<PathBuf> =
        (1..).map(|n| scratch.file(&format!("events-{n}.log"))).take_while(|log| log.exists()).collect();
    let last = logs.pop().expect("a log");
    assert!(!logs.is_empty() && logs.iter().all(|log| decode(log).counters().complete()), "{logs:?} {stderr}");
    let dropped = names_the_drops(&stderr, &last);
    let kept: u64 = logs.iter().chain([&last]).map(|log| decode(log).counters().kind("steady")).sum();
    assert_eq!((kept + dropped, kept), (300_000, events_said(&stderr)), "{stderr}");
}

#[test]
fn events_of_the_time_when_the_disk_was_full_are_counted_as_dropped() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("full", jvm.feature);
        let socket = scratch.file("socket");
        let run = Run::hazard(&jvm, "Counting").within(&scratch).argument(scratch.file("end"));
        let run = run.agent(&format!("exceptions,control={}", socket.display()));
        let mut command = run.file_size(DISK).command();
        let mut program = Program::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut began = [0; 8];
        program.stdout.as_mut().expect("piped").read_exact(&mut began).expect("it begins");
        let log = scratch.file("events.log");
        wait_until_full(&socket);
        let id = program.id().to_string();
        let full = size(&log);
        let raised = Command::new("prlimit").args(["--fsize=unlimited", "--pid", &id]).status().expect("prlimit runs");
        assert!(raised.success());
        until("a log that goes on", || (size(&log) > full).then_some(()));
        fs::write(scratch.file("end"), "").expect("written");
        let (status, printed, stderr) = program.end();
        assert!(status.success(), "{status}\n{stderr}");
        let made: u64 = printed.trim().strip_prefix("made ").and_then(|made| made.parse().ok()).expect("how many");
        assert_eq!(warnings(&stderr).len(), 1, "{stderr}");
        let counters = decode(&log).counters();
        assert!(counters.complete(), "{counters}");
        let (counted, thrown) = (counters.kind("counted"), counters.kind("exception"));
        let dropped = |source: &str| counters.counter(&format!("{source}.dropped"));
        let (all, exceptions) = (dropped("events"), dropped("exceptions"));
        assert!(all > exceptions && exceptions > 0, "{all} {exceptions}: {counters}\n{stderr}");
        assert_eq!(counted + all - exceptions, made, "{counters}\n{stderr}");
        assert_eq!(counters.counter("exceptions.events"), thrown, "{counters}\n{stderr}");
        let decoded = counted + thrown;
        assert_eq!((counters.counter("events"), events_said(&stderr)), (decoded, decoded), "{counters}\n{stderr}");
    }
}

/// A log that is a pipe with a name.
fn pipe(scratch: &Scratch) -> PathBuf {
    let path = scratch.file("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
    path
}

/// Many events into a pipe, of which `read` makes what it likes.
fn into_pipe<T: Send + 'static>(name: &str, events: usize, read: fn(File) -> T) -> (Outcome, T) {
    let jvm = Jvm::of(21).expect("there is a JVM");
    let scratch = Scratch::new(name, jvm.feature);
    let path = pipe(&scratch);
    let run = Run::hazard(&jvm, "Steady").within(&scratch).raw_agent(&format!("file={}", path.display()));
    let reader = thread::spawn(move || read(File::open(path).expect("it opens")));
    let outcome = run.argument("3").argument(events.to_string()).limit(60).go();
    assert!(outcome.success() && outcome.stdout.contains("sum "), "{outcome}");
    (outcome, reader.join().expect("it reads"))
}

#[test]
fn a_pipe_that_nobody_reads_holds_up_neither_the_program_nor_its_end() {
    let (outcome, pipe) = into_pipe("unread", 20_000, |pipe| pipe);
    drop(pipe);
    let said = outcome.said();
    assert!(said.len() == 1 && said[0].contains("its end is missing, at least "), "{outcome}");
    let dropped =
        said[0].rsplit_once("at least ").and_then(|(_, number)| number.split(' ').next()?.parse::<u64>().ok());
    assert!(dropped.is_some_and(|dropped| (1..=60_000).contains(&dropped)), "{outcome}");
}

/// Each event of a thread that was not met before is a record more, of the thread.
#[test]
fn events_that_are_dropped_leave_nothing_in_memory() {
    let jvm = Jvm::of(21).expect("there is a JVM");
    let scratch = Scratch::new("strangers", jvm.feature);
    let path = pipe(&scratch);
    let run = Run::hazard(&jvm, "Strangers").within(&scratch).raw_agent(&format!("file={}", path.display()));
    let reader = thread::spawn(move || File::open(path).expect("it opens"));
    let outcome =
        run.option("-Xmx64m").option("-Xms64m").option("-XX:+AlwaysPreTouch").argument("400000").limit(120).go();
    drop(reader.join().expect("it opens"));
    let grown = outcome.stdout.trim().strip_prefix("grown by ").and_then(|kib| kib.parse::<i64>().ok());
    assert!(outcome.success() && grown.is_some_and(|kib| kib < 24 << 10), "{outcome}");
}

#[test]
fn a_pipe_that_is_read_slowly_gets_the_whole_log() {
    let (outcome, (bytes, time)) = into_pipe("slow", 2_500, |mut pipe| {
        let (mut bytes, mut piece, start) = (Vec::new(), [0; 4096], Instant::now());
        loop {
            match pipe.read(&mut piece).expect("it can be read") {
                0 => return (bytes, start.elapsed()),
                count => bytes.extend_from_slice(&piece[..count]),
            }
            // More than the pipe holds is left when the program ends, and takes longer than the
            // agent waits for nothing.
            thread::sleep(Duration::from_millis(500));
        }
    });
    let scratch = Scratch::new("slowly", 0);
    fs::write(scratch.file("log"), &bytes).expect("written");
    let counters = decode(&scratch.file("log")).counters();
    assert!(counters.complete(), "{} bytes in {time:?}: {counters}\n{outcome}", bytes.len());
    assert_eq!(counters.figure("decoded_events"), events_said(&outcome.stderr), "{counters}");
}

#[test]
fn a_pipe_whose_reader_goes_away_costs_one_line() {
    let jvm = Jvm::of(17).or_else(|| Jvm::of(21)).expect("there is a JVM");
    let scratch = Scratch::new("closed", jvm.feature);
    let path = pipe(&scratch);
    let run = Run::hazard(&jvm, "Counting").within(&scratch).raw_agent(&format!("file={}", path.display()));
    let mut command = run.argument(scratch.file("end")).command();
    let errors = scratch.file("errors");
    let program = Program::start(command.stdout(Stdio::piped()).stderr(File::create(&errors).expect("created")));
    let mut bytes = [0; 2000];
    File::open(path).expect("it opens").read_exact(&mut bytes).expect("the log begins");
    let said = || fs::read_to_string(&errors).expect("read");
    until("a warning", || (!warnings(&said()).is_empty()).then_some(()));
    fs::write(scratch.file("end"), "").expect("written");
    let (status, ..) = program.end();
    let stderr = said();
    assert!(status.success(), "{status}\n{stderr}");
    let said = warnings(&stderr);
    assert!(said.len() == 1 && said[0].contains("read"), "{stderr}");
}

#[test]
fn a_pipe_without_a_reader_ends_the_start_with_one_line() {
    let jvm = Jvm::of(21).expect("there is a JVM");
    let scratch = Scratch::new("nobody", jvm.feature);
    let path = pipe(&scratch).display().to_string();
    let outcome = Run::hazard(&jvm, "Steady").within(&scratch).raw_agent(&format!("file={path}")).limit(60).go();
    assert!(!outcome.success() && !outcome.stdout.contains("sum "), "{outcome}");
    let said = outcome.said();
    assert!(said.len() == 1 && said[0].contains(&path) && said[0].contains("nobody has read it"), "{outcome}");
    assert!(said[0].contains("file="), "{outcome}");
}

/// What the agent says may go nowhere: that is no reason to end a program.
#[test]
fn a_standard_error_that_takes_nothing_harms_nobody() {
    for jvm in Jvm::all() {
        let (reader, gone) = std::io::pipe().expect("a pipe");
        drop(reader);
        let full = File::options().write(true).open("/dev/full").expect("it opens");
        for (name, errors) in [("gone", Stdio::from(gone)), ("full", Stdio::from(full))] {
            let scratch = Scratch::new(name, jvm.feature);
            // It has something to say at its beginning, in between and at its end.
            let run = Run::hazard(&jvm, "Hello").within(&scratch).agent("verify=1,alloc=64k,control=/nowhere/socket");
            let mut command = run.argument("300000").file_size(DISK).command();
            let (status, printed, _) = Program::start(command.stdout(Stdio::piped()).stderr(errors)).end();
            assert!(status.success() && printed == "hello\n", "{name} on {}: {status}\n{printed}", jvm.feature);
        }
    }
}
