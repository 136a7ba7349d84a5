//! The agent comes into a JVM that runs, leaves it, and comes again; and the same without hooks
//! from the start (`hooks=off`).
//!
//! Invariant: the stack of each event is one that the program itself has seen at that place, to the
//! line, native frames included; an agent that has left leaves no thread, socket or file behind,
//! and one that is refused has changed nothing.
//! Source: docs/guide/attach.md.

pub mod asked;
mod loaded;
pub mod running;
mod spaces;
mod users;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lucce_jvm_tests::{Jvm, Run, Scratch, decode, option, place};
use running::Running;
use serde_json::Value;

/// The stacks of the large arrays, as the program writes its own.
pub fn stacks(log: &Path) -> BTreeSet<String> {
    decode(log).events().iter().filter(is_own).map(stack).collect()
}

/// Is it of one of the large arrays?
fn is_own(event: &&Value) -> bool {
    let is_large = event["class"] == "byte[]" && event["value"].as_u64() > Some(1 << 20);
    event["kind"] == "alloc" && is_large && event["frames"][0]["method"] == "sink"
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

/// Twice in a row; the logs, which have ended, the stacks that the program has seen, and where all
/// that is.
fn twice(running: Running, feature: u32) -> ([PathBuf; 2], Scratch) {
    let logs = ["first.log", "second.log"].map(|name| {
        let log = running.attached(name, "alloc=64k,leaks=64k,locks,verify=1,quiet");
        running.waits_for(&["alloc.events", "locks.events"], 200);
        let (status, refused) = running.attach("alloc=64k");
        assert_eq!(status, 1, "{refused}");
        assert!(refused.contains("Lucce is there already and writes "), "{refused}");
        running.leaves(&log);
        log
    });
    let (seen, complaints, scratch) = running.end();
    assert!(!complaints.contains("internal error"), "{complaints}");
    for log in &logs {
        whole(log);
        agree(&stacks(log), &seen, feature);
        let counters = decode(log).counters();
        assert!(counters.kind("monitor") > 0 && counters.kind("holder") > 0, "{counters}");
    }
    (logs, scratch)
}

#[test]
fn it_comes_and_leaves_twice_and_each_stack_is_one_that_the_program_has_seen() {
    for jvm in Jvm::all() {
        twice(Running::hazard("attach", &jvm, &[]), jvm.feature);
    }
}

/// They leave their carriers in the middle of the paths, and others go on on these.
#[test]
fn stacks_of_virtual_threads_are_those_that_they_have_seen() {
    for jvm in [21, 25].into_iter().filter_map(Jvm::of) {
        let (logs, _scratch) = twice(Running::hazard("attach-virtual", &jvm, &["virtual"]), jvm.feature);
        for log in &logs {
            for event in decode(log).events().iter().filter(is_own) {
                assert_eq!(event["thread"], "allocating", "{event}");
                let base = event["frames"].as_array().and_then(|frames| frames.last());
                assert_eq!(base.map(|frame| &frame["class"]), Some(&"java.lang.VirtualThread".into()), "{event}");
            }
        }
    }
}

/// KiB that eight runs may add: what such runs learn is several times more, and the program itself
/// adds some hundred.
const ADDED: u64 = 3 << 9;

#[test]
fn runs_that_have_ended_give_back_what_they_have_learned() {
    let Some(jvm) = Jvm::of(17) else { return };
    let running = Running::interpreted("memory", &jvm);
    let run = |number: u32| {
        let log = running.attached(&format!("{number}.log"), "alloc=16k,leaks=16k,locks,quiet");
        running.waits_for(&["alloc.events"], 2000);
        running.leaves(&log);
    };
    // The first ones load what the program and the agent need.
    (0..3).for_each(run);
    let before = running.memory();
    (3..11).for_each(run);
    let after = running.memory();
    println!("eight runs have added {} KiB to {before}", after.saturating_sub(before));
    assert!(after < before + ADDED, "{before} KiB before, {after} behind");
    running.end();
}

/// A copy is another library, which knows nothing of the first one, nor of its socket where that is
/// not the usual one.
#[test]
fn a_second_copy_of_the_library_is_refused_in_one_line_while_the_first_is_at_work() {
    for jvm in [11, 25].into_iter().filter_map(Jvm::of) {
        let mut running = Running::hazard("copies", &jvm, &[]);
        let [copy, log, socket] = ["copy.so", "copy.log", "copy.socket"].map(|name| running.scratch.file(name));
        fs::copy(&place().agent, &copy).expect("copied");
        let first = running.attached("first.log", "alloc=64k,verify=1,quiet");
        for options in ["locks", "alloc=64k"] {
            let options = format!("file={},control={},{options}", log.display(), socket.display());
            let (status, said) = running.attach_from(&copy, &options);
            assert_eq!(status, 1, "{said}");
            assert!(said.contains("another copy of liblucce.so is at work") && said.lines().count() == 1, "{said}");
            assert!(!log.exists() && !socket.exists(), "{options}");
        }
        running.waits_for(&["alloc.events"], 200);
        running.leaves(&first);
        running.library = copy;
        let second = running.attached("second.log", "alloc=64k,verify=1,quiet");
        running.waits_for(&["alloc.events"], 200);
        running.leaves(&second);
        let (_, _, _scratch) = running.end();
        whole(&first);
        whole(&second);
    }
}

#[test]
fn what_a_running_jvm_does_not_give_is_refused_in_one_line() {
    for jvm in Jvm::each(&[11, 25]) {
        let running = Running::hazard("refused", &jvm, &[]);
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
        ("JdkFrames", "alloc=64k", &[], &[11, 17, 21, 25]),
        ("Callbacks", "alloc=64k", &[], &[11, 25]),
        ("ConstructorThrows", "alloc=64k", &[], &[17, 25]),
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
            // A stack is walked once, and nobody looks at its top before.
            assert_eq!((counters.counter("alloc.looks"), counters.counter("locks.looks")), (0, 0), "{target}");
        }
    }
}

/// Contexts that do not come again are forgotten.
#[test]
fn without_hooks_contexts_without_number_take_bounded_memory() {
    for jvm in [11, 25].into_iter().filter_map(Jvm::of) {
        let scratch = Scratch::new("winding", jvm.feature);
        let run = Run::hazard(&jvm, "Winding").within(&scratch).argument("40000");
        let counters = run.agent("hooks=off,alloc=4k,verify=1,quiet").go().verified();
        let [nodes, forgotten] = ["captured", "forgotten"].map(|name| counters.counter(&format!("contexts.{name}")));
        // The agent's `encode/walks.rs` says how many new ones may come before others go.
        assert!(nodes > 5 << 17 && nodes - forgotten < 5 << 17, "{nodes} nodes, {forgotten} forgotten");
        assert!(counters.complete() && counters.counter("alloc.events") > 25_000, "{counters}");
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
