//! The agent comes into a JVM that runs, leaves it, and comes again; and the same without hooks from the start (`hooks=off`).
//!
//! Invariant: the stack of each event is one that the program itself has seen at that place, to the line, native frames included; an agent that
//! has left leaves no thread, socket or file behind, and one that is refused has changed nothing.
//! Source: docs/guide/attach.md.

mod spaces;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lucce_jvm_tests::{Jvm, Program, Run, Scratch, decode, option, place, until};
use serde_json::Value;

/// The program, without the agent at first.
struct Running {
    program: Program,
    scratch: Scratch,
}

impl Running {
    fn new(name: &str, jvm: &Jvm) -> Self {
        let scratch = Scratch::new(name, jvm.feature);
        let run = Run::hazard(jvm, "Attached").within(&scratch);
        let run = run.argument(scratch.file("end")).argument(scratch.file("stacks"));
        let mut command = run.command();
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = Program::start(&mut command);
        let mut began = [0; 8];
        program.stdout.as_mut().expect("piped").read_exact(&mut began).expect("it begins");
        assert_eq!(&began, b"started\n");
        Self { program, scratch }
    }

    fn attach(&self, options: &str) -> (i32, String) {
        said(&attach(&self.program.id().to_string(), options).output().expect("the decoder runs"))
    }

    /// Attaches with a log and a socket of that name, which must do.
    fn attached(&self, name: &str, options: &str) -> PathBuf {
        let (log, socket) = (self.scratch.file(name), self.socket());
        let options = format!("file={},control={},{options}", log.display(), socket.display());
        let (status, said) = self.attach(&options);
        assert_eq!((status, &*said), (0, &*format!("log {}", log.display())));
        log
    }

    fn socket(&self) -> PathBuf {
        self.scratch.file("socket")
    }

    fn ctl(&self, command: &str) -> (i32, String) {
        let mut ctl = Command::new(&place().decode);
        said(&ctl.arg("ctl").arg(self.socket()).args(command.split(' ')).output().expect("the decoder runs"))
    }

    /// Waits until the agent has counted so many of each of these.
    fn waits_for(&self, counters: &[&str], least: u64) {
        let now = |name: &str| -> u64 {
            let (_, stats) = self.ctl("stats");
            let value = stats.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            value.unwrap_or_else(|| panic!("{name}: {stats}")).parse().expect("a number")
        };
        for name in counters {
            until(&format!("{least} {name}"), || (now(name) >= least).then_some(()));
        }
    }

    /// Names of the agent's threads.
    fn threads(&self) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.program.id())).expect("it runs");
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.map(|name| name.trim().to_owned()).filter(|name| name.starts_with("lucce")).collect()
    }

    /// The agent is told to leave: nothing of it is left but its log.
    fn leaves(&self) {
        let (status, said) = self.ctl("kill");
        assert_eq!(status, 0, "{said}");
        until("no thread of the agent's", || self.threads().is_empty().then_some(()));
        assert!(!self.socket().exists());
        assert_eq!(self.leftovers(), Vec::<String>::new());
    }

    /// What attaching has left in folders of the JVM's.
    fn leftovers(&self) -> Vec<String> {
        let pid = self.program.id();
        let names = [Path::new("/tmp"), self.scratch.path()].into_iter().flat_map(|folder| {
            let files = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
            files.map(|file| file.file_name().to_string_lossy().into_owned())
        });
        names
            .filter(|name| name == &format!(".attach_pid{pid}") || name.starts_with(&format!("lucce-attach-{pid}-")))
            .collect()
    }

    /// Tells it to end: the stacks that it has seen, and what it complained of.
    fn end(self) -> (BTreeSet<String>, String, Scratch) {
        fs::write(self.scratch.file("end"), "").expect("written");
        let (status, printed, complaints) = self.program.end();
        assert!(status.success() && printed.contains("ended"), "{status}: {printed}{complaints}");
        let stacks = fs::read_to_string(self.scratch.file("stacks")).expect("written");
        (stacks.lines().map(str::to_owned).collect(), complaints, self.scratch)
    }
}

fn attach(process: &str, options: &str) -> Command {
    let mut command = Command::new(&place().decode);
    command.arg("attach").arg("--agent").arg(&place().agent).args([process, options]);
    command
}

/// The status, and all that was said.
fn said(output: &Output) -> (i32, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("it was not killed"), (text(&output.stdout) + &text(&output.stderr)).trim().to_owned())
}

/// The stacks of the large arrays, as the program writes its own.
fn stacks(log: &Path) -> BTreeSet<String> {
    let events = decode(log).events();
    let large = |event: &&Value| {
        event["kind"] == "alloc" && event["class"] == "byte[]" && event["value"].as_u64() > Some(1 << 20)
    };
    let own = |event: &&Value| event["frames"][0]["method"] == "sink";
    events.iter().filter(large).filter(own).map(stack).collect()
}

fn stack(event: &Value) -> String {
    assert_eq!(event["unknown"], Value::Null, "{event}");
    let frames = event["frames"].as_array().expect("frames").iter();
    frames
        .map(|frame| {
            let text = |key: &str| frame[key].as_str();
            let (class, method) = (text("class").expect("a class"), text("method").expect("a method"));
            assert_eq!(frame["walked"], false, "{event}");
            let at = match (frame["native"] == true, text("file"), frame["line"].as_u64()) {
                (true, ..) => "native method".to_owned(),
                (_, None, _) => "Unknown Source".to_owned(),
                (_, Some(file), None) => file.to_owned(),
                (_, Some(file), Some(line)) => format!("{file}:{line}"),
            };
            format!("{class}.{method}({at})|")
        })
        .collect()
}

/// Each stack of the log is one that the program has seen.
fn agree(stacks: &BTreeSet<String>, seen: &BTreeSet<String>, feature: u32) {
    let strange: Vec<&String> = stacks.difference(seen).take(3).collect();
    assert!(strange.is_empty(), "on {feature} the program has not seen {strange:#?}, but e.g. {:#?}", seen.first());
    assert!(stacks.len() > 20, "on {feature} {} stacks of {}", stacks.len(), seen.len());
}

/// A log of a run that has ended, in which all was compared and agreed.
fn whole(log: &Path) {
    let counters = decode(log).counters();
    assert!(counters.complete(), "{counters}");
    assert!(counters.checks() > 0, "{counters}");
    assert_eq!((counters.mismatches(), counters.lost(), counters.counter("panics")), (0, 0, 0), "{counters}");
}

#[test]
fn it_comes_and_leaves_twice_and_each_stack_is_one_that_the_program_has_seen() {
    for jvm in Jvm::all() {
        let running = Running::new("attach", &jvm);
        let mut logs = Vec::new();
        for name in ["first.log", "second.log"] {
            logs.push(running.attached(name, "alloc=64k,leaks=64k,locks,verify=1,quiet"));
            running.waits_for(&["alloc.events", "locks.events"], 200);
            let (status, refused) = running.attach("alloc=64k");
            assert_eq!(status, 1, "{refused}");
            assert!(refused.contains("Lucce is there already and writes "), "{refused}");
            running.leaves();
        }
        let (seen, complaints, _scratch) = running.end();
        assert!(!complaints.contains("internal error"), "{complaints}");
        for log in &logs {
            whole(log);
            agree(&stacks(log), &seen, jvm.feature);
            let counters = decode(log).counters();
            assert!(counters.kind("monitor") > 0 && counters.kind("holder") > 0, "{counters}");
        }
    }
}

#[test]
fn what_a_running_jvm_does_not_give_is_refused_in_one_line() {
    for jvm in Jvm::each(&[11, 25]) {
        let running = Running::new("refused", &jvm);
        for (options, why) in [
            ("exceptions", "exceptions must be there when the JVM starts"),
            ("cpu=10ms", "cpu must be there when the JVM starts"),
            ("exceptions,cpu=10ms,alloc=1m", "exceptions and cpu must be there when the JVM starts"),
            ("entries=*", "option 'hooks=off' rewrites no class, so it does not go with 'entries'"),
            ("alloc=all", "option 'hooks=off' rewrites no class, so it does not go with 'alloc=all'"),
            ("hooks=demand", "option 'hooks' is for an agent that starts with the JVM"),
            ("help", "option 'help' is for an agent that starts with the JVM"),
            ("aloc=1k", "aloc"),
        ] {
            let (status, said) = running.attach(options);
            assert_eq!(status, 1, "{options}: {said}");
            assert!(said.contains(why) && said.lines().count() == 1, "{options}: {said}");
        }
        assert_eq!((running.threads(), running.leftovers()), (Vec::new(), Vec::new()));
        running.end();
    }
}

#[test]
fn another_user_and_a_process_that_is_no_jvm_get_no_signal() {
    let Some(jvm) = Jvm::of(17) else { return };
    let running = Running::new("users", &jvm);
    let mut sleeper = Command::new("sleep").arg("60").spawn().expect("it starts");
    let (status, line) = said(&attach(&sleeper.id().to_string(), "").output().expect("the decoder runs"));
    assert_eq!((status, line.ends_with("is no HotSpot JVM")), (2, true), "{line}");
    assert_eq!(sleeper.try_wait().expect("it can be asked"), None, "it was ended");
    sleeper.kill().and_then(|()| sleeper.wait()).expect("it ends");
    // A program that others can run.
    let decode = running.scratch.file("decode");
    fs::copy(&place().decode, &decode).expect("copied");
    let mut command = Command::new(&decode);
    command.args(["attach", "--agent"]).arg(&decode).arg(running.program.id().to_string());
    command.uid(65534).gid(65534);
    match command.output() {
        Ok(output) => {
            let (status, line) = said(&output);
            assert_eq!(status, 2, "{line}");
            assert!(line.contains("the JVM obeys only these and root"), "{line}");
        }
        Err(why) => println!("skipped: no other user can be had here ({why})"),
    }
    let (_, complaints, _) = running.end();
    assert!(!complaints.contains("Full thread dump"), "{complaints}");
}

/// From the start: what hooks would tell is told by walks, and the JVM keeps its archive.
#[test]
fn without_hooks_the_archive_is_used_and_every_source_agrees() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("no-hooks", jvm.feature);
        let archive = option("-XX:SharedArchiveFile=", scratch.file("base.jsa"));
        let of = |hazard: &str| Run::hazard(&jvm, hazard).within(&scratch).option(archive.clone());
        assert!(of("Hello").option("-Xshare:dump").go().success());
        let shared = of("Thrown").argument("30").option("-Xshare:on").option("-Xlog:class+load:file=classes.txt");
        let outcome = shared.agent("hooks=off,alloc=4k,leaks=4k,locks,exceptions,verify=1,quiet").go();
        assert!(outcome.success(), "{outcome}");
        whole(outcome.log());
        let classes = fs::read_to_string(scratch.file("classes.txt")).expect("written");
        for class in ["java.lang.Object", "java.lang.Thread", "java.util.HashMap"] {
            let line = classes.lines().find(|line| line.contains(&format!(" {class} "))).unwrap_or_default();
            assert!(line.contains("shared objects file"), "{class} on {}: {line}", jvm.feature);
        }
    }
}

#[test]
fn without_hooks_programs_print_the_same_and_every_source_agrees() {
    for (target, options, arguments, features) in [
        ("Thrown", "alloc=4k,exceptions,locks,cpu=1ms", &["30"][..], &[11, 17, 21, 25][..]),
        ("Contended", "alloc=4k,locks", &["10"], &[11, 25]),
        ("Contended", "alloc=4k,locks,cpu=1ms", &["10", "true"], &[21, 25]),
        ("Recursion", "alloc=1k,cpu=1ms", &[], &[17, 25]),
        ("Unloading", "alloc=4k,leaks=4k", &["200", "2"], &[11, 25]),
        ("Retransform", "alloc=4k,cpu=1ms", &[], &[17, 25]),
        ("VirtualThreads", "alloc=4k,exceptions,locks,cpu=1ms", &[], &[21, 25]),
    ] {
        for jvm in features.iter().filter_map(|&feature| Jvm::of(feature)) {
            let scratch = Scratch::new(&format!("no-hooks-{target}"), jvm.feature);
            let run = || {
                let run = Run::hazard(&jvm, target).within(&scratch).library("asm-9.7.1");
                let run = if target == "Retransform" { run.option(place().other_agent("")) } else { run };
                arguments.iter().fold(run, |run, argument| run.argument(*argument))
            };
            let plain = run().go();
            let outcome = run().agent(&format!("hooks=off,verify=1,quiet,{options}")).go();
            assert!(outcome.success(), "{target} on {}:\n{outcome}", jvm.feature);
            // That one prints what memory it has.
            assert!(target == "Unloading" || plain.stdout == outcome.stdout, "{target} on {}:\n{outcome}", jvm.feature);
            let counters = outcome.verified();
            assert!(counters.complete() && counters.counter("panics") == 0, "{target}: {outcome}\n{counters}");
        }
    }
}

/// What is remembered of a method goes when its class is redefined.
#[test]
fn without_hooks_lines_are_those_of_the_code_that_runs() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("moved-lines", jvm.feature);
        let run = Run::hazard(&jvm, "MovedLines").within(&scratch).library("asm-9.7.1").option(place().other_agent(""));
        let outcome = run.argument(scratch.file("stacks")).agent("hooks=off,alloc=64k,verify=1,quiet").go();
        assert!(outcome.success(), "{outcome}");
        outcome.verified();
        let seen = fs::read_to_string(scratch.file("stacks")).expect("written").lines().map(str::to_owned).collect();
        agree(&stacks(outcome.log()), &seen, jvm.feature);
    }
}
