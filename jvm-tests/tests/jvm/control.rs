//! Control of a running agent: commands through its socket, who may give them, the late start and
//! the kill switch.
//!
//! Invariant: whatever comes through the socket, the program prints what it prints without the
//! agent; what is in the log is exact.
//! Source: docs/guide/production.md.

mod profile;
mod socket;
mod sums;
mod switch;
mod unready;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use lucce_jvm_tests::{Counters, Jvm, Program, Run, Scratch, decode, place, until};
use serde_json::Value;

/// A program that makes events on two threads until it is told to end.
struct Running {
    program: Program,
    scratch: Scratch,
}

impl Running {
    fn new(name: &str, feature: u32, options: &str) -> Option<Self> {
        Self::of(name, feature, options, |jvm| Run::hazard(jvm, "Steady"), &[])
    }

    fn of(name: &str, feature: u32, options: &str, program: impl FnOnce(&Jvm) -> Run, more: &[&str]) -> Option<Self> {
        let jvm = Jvm::of(feature)?;
        let scratch = Scratch::new(name, feature);
        let options = format!("control={},{options}", scratch.file("socket").display());
        let run = program(&jvm).within(&scratch).agent(&options);
        let run = run.argument("2").argument("20").argument(scratch.file("end"));
        let run = more.iter().fold(run, |run, argument| run.argument(*argument));
        let mut running = Self { program: start(&run), scratch };
        until("a socket", || {
            let ended = running.program.try_wait().expect("it can be asked");
            assert_eq!(ended, None, "it does not listen: {options}");
            UnixStream::connect(running.socket()).ok()
        });
        // A class that is loaded in the very second of a late start stays as it is, and the
        // program's own may be such.
        let mut began = [0; 8];
        running.program.stdout.as_mut().expect("piped").read_exact(&mut began).expect("it begins");
        assert_eq!(&began, b"started\n");
        Some(running)
    }

    fn socket(&self) -> PathBuf {
        self.scratch.file("socket")
    }

    /// What the agent answers to a command that it must do.
    fn done(&self, command: &str) -> String {
        done(&self.socket(), command)
    }

    /// Why the agent does not do a command.
    fn refused(&self, command: &str) -> String {
        let (status, _, err) = ctl(&self.socket(), command);
        assert_eq!(status, 1, "{command}: {err}");
        err
    }

    /// A line of the status.
    fn status(&self, name: &str) -> String {
        let status = self.done("status");
        let line =
            status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}: {status}"));
        line.trim().to_owned()
    }

    fn events(&self) -> u64 {
        self.status("events").parse().expect("a number")
    }

    /// Waits until what was being taken when the events were stopped is taken: what the counters
    /// then say.
    fn settled<const N: usize>(&self, names: [&str; N]) -> [i64; N] {
        let mut before = self.counters(names);
        until("events that are no longer taken", || {
            thread::sleep(Duration::from_millis(200));
            let now = self.counters(names);
            (std::mem::replace(&mut before, now) == now).then_some(now)
        })
    }

    /// A counter of the agent.
    fn counter(&self, name: &str) -> i64 {
        self.counters([name])[0]
    }

    /// Counters of one moment.
    fn counters<const N: usize>(&self, names: [&str; N]) -> [i64; N] {
        stats(&self.socket(), names)
    }

    /// Waits until the program has tried to make many more events, which go nowhere.
    fn goes_on(&self) {
        let before = self.counter("events.stopped");
        until("a program that goes on", || (self.counter("events.stopped") > before + 400).then_some(()));
    }

    /// Calls of the agent by anything but the program's own events, which go nowhere.
    fn hooks(&self) -> i64 {
        let [natives, stopped] = self.counters(["natives", "events.stopped"]);
        natives - stopped
    }

    /// Waits until a counter has grown; each time it is asked, `command` is given first.
    fn grows(&self, name: &str, command: &str) {
        let before = self.counter(name);
        until(&format!("more {name} than {before}"), || {
            self.done(command);
            (self.counter(name) > before).then_some(())
        });
    }

    /// Waits until more events were taken.
    fn more_events(&self) {
        let before = self.events();
        until("an event", || (self.events() > before).then_some(()));
    }

    /// Tells it to end, whatever its log is.
    fn leave(self) {
        fs::write(self.scratch.file("end"), "").expect("written");
        let (status, _, stderr) = self.program.end();
        assert!(status.success(), "{status}\n{stderr}");
    }

    /// Tells it to end: what it printed, and the figures of its log.
    fn end(self, complaints: bool) -> (String, Counters) {
        let (printed, _, counters) = self.heard(complaints);
        (printed, counters)
    }

    /// The same, and how many events a listener of the program was told of.
    fn heard(self, complaints: bool) -> (String, u64, Counters) {
        fs::write(self.scratch.file("end"), "").expect("written");
        let Self { program, scratch } = self;
        let (status, printed, stderr) = program.end();
        assert!(status.success(), "{status}\n{stderr}");
        assert!(complaints || !stderr.contains("internal error"), "{stderr}");
        assert!(!scratch.file("socket").exists(), "the socket goes with the run");
        let counters = decode(&scratch.file("events.log")).counters();
        assert!(counters.complete(), "{counters}\n{stderr}");
        check_events(&scratch.file("events.log"));
        let (printed, heard) = printed.trim_end().split_once(", heard ").expect("both");
        (printed.to_owned(), heard.parse().expect("a number"), counters)
    }
}

/// Is the trace of each event whole, or CPU time that has no place, and says why? One after the
/// other: a machine that was slow has let the program make millions of them.
fn check_events(log: &Path) {
    let arguments = ["--events", "--format", "json"];
    let mut decoder =
        Command::new(&place().decode).arg(log).args(arguments).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(decoder.stdout.take().expect("piped"));
    let mut line = String::new();
    while lines.read_line(&mut line).expect("a line") > 0 {
        let event: Value = serde_json::from_str(&line).expect("each line is an object");
        // A sample may strike between two words, and a lock may be passed on or let go before the
        // agent looks who holds it.
        let may_be_unknown = event["kind"] == "cpu" || event["kind"] == "holder";
        assert!(event["unknown"].is_null() || may_be_unknown && event["owner"] == "agent", "{line}");
        line.clear();
    }
    assert!(decoder.wait().expect("it ends").success());
}

fn start(run: &Run) -> Program {
    Program::start(run.command().stdout(Stdio::piped()).stderr(Stdio::piped()))
}

/// What the agent that listens there answers to a command that it must do.
fn done(socket: &Path, command: &str) -> String {
    let (status, out, err) = ctl(socket, command);
    assert_eq!(status, 0, "{command}: {err}");
    out
}

/// Counters of the agent that listens there, of one moment.
pub fn stats<const N: usize>(socket: &Path, names: [&str; N]) -> [i64; N] {
    let stats = done(socket, "stats");
    names.map(|name| {
        let value = stats.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("{name}: {stats}")).parse().expect("a number")
    })
}

fn ctl(socket: &Path, command: &str) -> (i32, String, String) {
    let output = Command::new(&place().decode)
        .arg("ctl")
        .arg(socket)
        .args(command.split(' '))
        .output()
        .expect("the decoder runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn sources_stop_and_start_and_a_flush_brings_every_event_to_the_disk() {
    for feature in [11, 25] {
        let Some(running) = Running::new("sources", feature, "quiet") else { continue };
        assert_eq!((running.status("state").as_str(), running.status("stopped").as_str()), ("on", "nothing"));
        running.more_events();
        running.done("stop events");
        running.settled(["events", "events.dropped"]);
        let stopped = running.events();
        running.done("flush");
        let on_disk = decode(&running.scratch.file("events.log")).counters().figure("events");
        assert_eq!(on_disk, stopped, "flushed");
        thread::sleep(Duration::from_millis(200));
        assert_eq!((running.events(), running.status("stopped").as_str()), (stopped, "events"));
        running.done("start events");
        running.more_events();
        running.done("stop");
        running.done("start");
        running.more_events();
        let stats = running.done("stats");
        assert!(stats.lines().any(|line| line.starts_with("slow.walks ")), "{stats}");
        let rotated = running.done("rotate");
        let second = running.scratch.file("events-2.log");
        assert_eq!(rotated.trim(), format!("log {}", second.display()));
        running.more_events();
        running.done("flush");
        assert!(decode(&second).counters().figure("events") > 0);
        for (command, why) in [
            ("dance", "no such command; there is status, "),
            ("flsh", "no such command 'flsh': did you mean flush?"),
            ("start dancing", "dancing is no source; there is events"),
            ("stop event", "event is no source: did you mean events?"),
            ("stop a b", "'stop' takes no more words: stop [source]"),
        ] {
            let said = running.refused(command);
            assert!(said.contains(why), "{command}: {said}");
        }
        running.done("stop events");
        // Those that the log had no time for were taken, too.
        let [logged, dropped] = running.settled(["events", "events.dropped"]);
        let (out, heard, _) = running.heard(false);
        let taken = (logged + dropped) as u64;
        assert_eq!(
            (out.as_str(), heard),
            ("hooked true", taken),
            "listeners are told of what is taken: {logged} {dropped}"
        );
    }
}

#[test]
fn each_source_stops_and_starts_alone() {
    let sources = ["alloc", "exceptions", "locks", "cpu"];
    for feature in [11, 17, 21, 25] {
        let options = "quiet,alloc=4k,exceptions,locks,cpu=1ms";
        let Some(running) = Running::new("gates", feature, options) else { continue };
        for source in sources {
            let counter = format!("{source}.events");
            running.grows(&counter, "status");
            running.done(&format!("stop {source}"));
            assert_eq!(running.status("stopped"), source);
            let [stopped] = running.settled([counter.as_str()]);
            sources
                .iter()
                .filter(|other| **other != source)
                .for_each(|other| running.grows(&format!("{other}.events"), "status"));
            assert_eq!(running.counter(&counter), stopped, "{source} on {feature}");
            running.done(&format!("start {source}"));
            running.grows(&counter, "status");
        }
        let why = [running.refused("stop entries"), running.refused("start entries")];
        assert!(why.iter().all(|why| why.contains("was not asked for")), "{why:?}");
        running.end(false);
    }
}

#[test]
fn counts_of_the_time_when_they_were_stopped_are_in_no_sum() {
    for feature in [11, 25] {
        let Some(running) = Running::new("sums", feature, "quiet,alloc=all,entries=hazards.Steady.*") else { continue };
        let other = ["tally.entry", "tally.alloc"];
        for (source, counter, other) in [("alloc", "tally.alloc", other[0]), ("entries", "tally.entry", other[1])] {
            let (stop, start) = (format!("stop {source}"), format!("start {source}"));
            running.grows(counter, &start);
            running.done(&stop);
            let stopped = running.counter(counter);
            running.grows(other, &stop);
            assert_eq!(running.counter(counter), stopped, "{source} on {feature}");
            running.done(&start);
            // At most what was counted between the two commands, not what came before.
            let before = running.counter(counter) - stopped;
            running.grows(counter, &start);
            assert!(before < 2000, "{before} {source} on {feature}");
        }
        let (_, counters) = running.end(false);
        let logged = (counters.kind("alloc"), counters.kind("entry"));
        assert_eq!(logged, (counters.counter("tally.alloc"), counters.counter("tally.entry")), "{counters}");
    }
}

#[test]
fn rotation_is_refused_where_another_file_could_not_be_decoded() {
    for options in ["rotate=off,keyframe=off", "encoder=algorithm1"] {
        let Some(running) = Running::new("alone", 17, &format!("quiet,{options}")) else { continue };
        running.more_events();
        let why = running.refused("rotate");
        assert!(why.contains("another file") && why.contains("keyframe=off"), "{why}");
        running.more_events();
        // That encoder loses contexts of recursion, which is not the question here.
        running.leave();
    }
    // Keyframes alone are enough.
    let Some(running) = Running::new("together", 17, "quiet,rotate=off") else { return };
    running.done("rotate");
    running.end(false);
}

#[test]
fn a_log_that_is_no_file_is_not_followed_by_another() {
    let Some(running) = Running::new("device", 17, "quiet,file=/dev/null") else { return };
    let why = running.refused("rotate");
    assert!(why.contains("pipe or a device") && why.contains("file="), "{why}");
    assert_eq!(running.status("log"), "/dev/null");
    running.leave();
    assert!(!Path::new("/dev/null-2").exists());
}
