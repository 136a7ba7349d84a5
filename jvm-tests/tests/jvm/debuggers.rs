//! Agents that act on the program's threads: a debugger over JDWP looks, has stopped threads call
//! methods, drops frames, and returns early; a native agent calls methods at allocations.
//!
//! Invariant: what the debugger sees is right, and so is every context, or it is lost with the
//! reason. Without the mechanism that sees what the debugger does, contexts are wrong.
//! Source: JDI; docs/design/mechanisms.md ("Called out of an event", "Frames that are dropped").

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use lucce_jvm_tests::{Counters, Jvm, MATRIX, Program, Run, Scratch, decode, place, turn};

use crate::agents::{ORDERS, Order, USUAL, told};
use crate::embedding::{agentpath, compiled};

/// A program that waits for a debugger, and that debugger.
struct Debugged<'d> {
    program: Run,
    debugger: &'d [&'d str],
    order: Order,
}

impl Debugged<'_> {
    const JDWP: &'static str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";

    /// Runs both to their ends. `agent` adds Lucce. What the debugger prints.
    fn run(self, agent: impl FnOnce(Run) -> Run) -> String {
        let Self { program, debugger, order } = self;
        let run = match order {
            Order::BeforeLucce => agent(program.option(Self::JDWP)),
            Order::AfterLucce => agent(program).option(Self::JDWP),
        };
        let mut program = Program::start(run.command().stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut out = BufReader::new(program.stdout.take().expect("piped"));
        let mut complaints = program.stderr.take().expect("piped");
        let complaints = thread::spawn(move || {
            let mut text = String::new();
            let _ = complaints.read_to_string(&mut text);
            text
        });
        let mut first = String::new();
        out.read_line(&mut first).expect("jdwp says where it listens");
        let port = first.trim().rsplit(' ').next().unwrap_or_default().to_owned();
        let debugger = Command::new(place().jdk_program("java"))
            .arg("-cp")
            .arg(place().set("debugger"))
            .args([debugger[0], &port])
            .args(&debugger[1..])
            .output()
            .expect("the JDK's java starts");
        let seen = String::from_utf8_lossy(&debugger.stdout).into_owned();
        if !debugger.status.success() {
            let _ = program.kill();
        }
        let mut rest = String::new();
        out.read_to_string(&mut rest).expect("text");
        let status = program.wait();
        let complaints = complaints.join().expect("readers do not panic");
        let why = String::from_utf8_lossy(&debugger.stderr);
        assert!(debugger.status.success(), "{order:?} on port {port}: {seen}{why}\n{rest}{complaints}");
        // When the debugger has gone, jdwp listens again and says so.
        let released = rest.lines().any(|line| line == "released");
        assert!(status.success() && released, "{order:?}: {status}\n{rest}{complaints}");
        seen
    }
}

fn looks(feature: u32, lucce: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    for order in ORDERS {
        let scratch = Scratch::new("debugger", feature);
        let program = Run::hazard(&jvm, "Beside").within(&scratch).argument("wait");
        let seen = Debugged { program, debugger: &["debugger.Breakpoint"], order }.run(|run| run.agent(lucce));
        assert_eq!(seen, "marked:74\nmarked:75\nlocals are right\ncalled by main\n", "{order:?}");
        told(&scratch.file("events.log"), order, lucce);
    }
}

#[test]
fn a_debugger_stops_steps_and_reads_locals_on_21() {
    looks(21, "verify=1");
}

#[test]
fn a_debugger_stops_steps_and_reads_locals_on_25() {
    looks(25, "verify=1");
}

#[test]
fn a_debugger_stops_steps_and_reads_locals_where_methods_sleep_on_21_and_25() {
    looks(21, USUAL);
    looks(25, USUAL);
}

/// What the log of `hazards.Debugged` says, and where it lies.
fn intrudes(jvm: &Jvm, order: Order, how: &str, options: &str, faults: &[&str]) -> (Scratch, PathBuf, Counters) {
    let scratch = Scratch::new(how, jvm.feature);
    let log = scratch.file("events.log");
    let program = Run::hazard(jvm, "Debugged").within(&scratch);
    let debugged = Debugged { program, debugger: &["debugger.Intrusion", how], order };
    let seen = debugged.run(|run| if faults.is_empty() { run.agent(options) } else { run.without(faults, options) });
    // Of depths 0 to 5; two frames.
    let expected = match how {
        "calls" => "called 15\n",
        "stops" => "stopped 6\n",
        "leaves" if options.contains("pcc") => "left 10 12\n",
        "leaves" => "left 15 16\n",
        _ => "dropped 2\n",
    };
    assert_eq!(seen, expected, "{order:?} on {}", jvm.feature);
    let counters = decode(&log).counters();
    (scratch, log, counters)
}

const OPTIONS: &str = "verify=1";

#[test]
fn methods_that_a_debugger_calls_in_stopped_threads() {
    for (feature, options) in
        [(21, OPTIONS), (25, OPTIONS), (25, "verify=1,jdk=on,encoder=lucce"), (21, "verify=1,hooks=demand")]
    {
        let Some(jvm) = Jvm::of(feature) else { continue };
        for order in ORDERS {
            let (_scratch, _, counters) = intrudes(&jvm, order, "calls", options, &[]);
            assert_eq!(
                (counters.mismatches(), counters.lost()),
                (0, 0),
                "{options}, {order:?} on {feature}\n{counters}"
            );
            assert!(counters.counter("upcalls.held") > 400, "{counters}");
        }
        if options.contains("demand") {
            // What sleeps is walked in any case.
            continue;
        }
        let (_scratch, _, counters) = intrudes(&jvm, Order::AfterLucce, "calls", options, &["upcall"]);
        assert!(counters.mismatches() > 0, "nothing is wrong without: {options} on {feature}\n{counters}");
    }
}

/// The agent's calls strike at allocations, those of the hooks' own among them.
#[test]
fn methods_that_a_native_agent_calls_out_of_events() {
    let with_jdk = turn::of_pairs("upcalled", &MATRIX);
    for (jvm, options) in Jvm::all().flat_map(|jvm| [(jvm.clone(), OPTIONS), (jvm, "verify=1,jdk=on")]) {
        if options != OPTIONS && !with_jdk.contains(&jvm.feature) {
            continue;
        }
        let scratch = Scratch::new("upcalled", jvm.feature);
        let library = compiled(&place().source("native/calls.c"), scratch.file("libcalls.so"), &["-shared", "-fPIC"]);
        let run = || Run::hazard(&jvm, "Upcalled").within(&scratch).option(agentpath(&library, "")).argument(&library);
        let right = run().agent(options).go();
        assert_eq!(right.stdout, "called\n", "{options} on {}\n{right}", jvm.feature);
        assert!(right.verified().counter("upcalls.held") > 900, "{right}");
        let wrong = run().without(&["upcall"], options).go().counters();
        assert!(wrong.mismatches() > 0, "nothing is wrong without: {options} on {}\n{wrong}", jvm.feature);
    }
}

fn drops(how: &str) {
    for feature in [21, 25] {
        let Some(jvm) = Jvm::of(feature) else { continue };
        for order in ORDERS {
            let (_scratch, log, counters) = intrudes(&jvm, order, how, OPTIONS, &[]);
            assert_eq!((counters.mismatches(), counters.counter("frames.dropped")), (0, 2), "{order:?}\n{counters}");
            // Some lie below what was dropped; once that has left, all are exact.
            let events = decode(&log).events();
            let lost = |event: &&serde_json::Value| !event["unknown"].is_null();
            let why = events.iter().filter(lost).map(|event| event["unknown"].to_string());
            let others = why.filter(|why| !why.contains("dropped frames of the thread")).collect::<Vec<_>>();
            assert_eq!(others, [""; 0], "{order:?}\n{counters}");
            let count = events.iter().filter(lost).count();
            assert!((1..10).contains(&count), "{count} of {}, {order:?}\n{counters}", events.len());
            assert!(events.last().is_some_and(|last| !lost(&last)), "{order:?}\n{counters}");
        }
        let (_scratch, _, counters) = intrudes(&jvm, Order::AfterLucce, how, OPTIONS, &["dropped"]);
        assert!(counters.mismatches() > 0, "nothing is wrong without: {how} on {feature}\n{counters}");
    }
}

#[test]
fn frames_that_a_debugger_pops() {
    drops("pops");
}

#[test]
fn frames_from_which_a_debugger_returns_early() {
    drops("returns");
}

/// An error strikes where a hook has just pushed: the entry stays on the shadow stack, and no
/// activation owns it.
#[test]
fn threads_that_a_debugger_stops_within_a_hook() {
    for (feature, options) in
        [(21, OPTIONS), (25, OPTIONS), (25, "verify=1,jdk=on,encoder=lucce"), (21, "verify=1,alloc=all,encoder=lucce")]
    {
        let Some(jvm) = Jvm::of(feature) else { continue };
        for order in ORDERS {
            let (_scratch, _, counters) = intrudes(&jvm, order, "stops", options, &[]);
            let seen = (counters.mismatches(), counters.lost(), counters.counter("threads.stopped"));
            assert_eq!(seen, (0, 0, 6), "{options}, {order:?} on {feature}\n{counters}");
        }
        let (_scratch, _, counters) = intrudes(&jvm, Order::AfterLucce, "stops", options, &["stopped"]);
        assert!(counters.mismatches() > 0, "nothing is wrong without: {options} on {feature}\n{counters}");
    }
}

/// An error strikes at each instruction by which a method leaves that code without hooks has
/// called; that code then calls what the method has called last.
#[test]
fn threads_that_a_debugger_stops_while_a_method_leaves() {
    const OPTIONS: &str = "verify=1,exclude=hazards.plain.*";
    const HASHED: &str = "verify=1,exclude=hazards.plain.*,encoder=pcc";
    for (feature, options) in [(21, OPTIONS), (25, OPTIONS), (25, HASHED)] {
        let Some(jvm) = Jvm::of(feature) else { continue };
        let (_scratch, _, counters) = intrudes(&jvm, Order::AfterLucce, "leaves", options, &[]);
        assert_eq!((counters.mismatches(), counters.lost()), (0, 0), "{options} on {feature}\n{counters}");
        if options == HASHED {
            // Its exits stand in the method's own code.
            continue;
        }
        let (_scratch, _, counters) = intrudes(&jvm, Order::AfterLucce, "leaves", OPTIONS, &["exit_watched"]);
        assert!(counters.mismatches() > 0, "nothing is wrong without on {feature}\n{counters}");
    }
}
