//! Event sources: each reports what happens, where it happens, without walking stacks.
//!
//! Invariant: every event agrees with the JVM's own walk (`verify=1`), innermost bytecode index
//! included; counts are exact where the program's are.
//! Source: docs/guide/event-sources.md.

use std::collections::BTreeMap;

use lucce_jvm_tests::{Counters, Jvm, Outcome, Run, Scratch, decode, place};
use serde_json::Value;

/// Runs a target both ways, with every check held.
fn run(jvm: &Jvm, target: &str, options: &str, arguments: &[&str]) -> (Outcome, Counters, Vec<Value>) {
    let scratch = Scratch::new(&format!("sources-{target}-{}", arguments.len()), jvm.feature);
    let run =
        || arguments.iter().fold(Run::hazard(jvm, target).within(&scratch), |run, argument| run.argument(argument));
    let plain = run().go();
    assert!(plain.success(), "{target} fails without the agent on {}:\n{plain}", jvm.feature);
    let outcome = run().agent(options).go();
    assert!(outcome.success(), "{target} fails under the agent on {}:\n{outcome}", jvm.feature);
    assert_eq!(plain.stdout, outcome.stdout, "{target} prints something else under the agent on {}", jvm.feature);
    let counters = outcome.verified();
    let events = decode(outcome.log()).events();
    (outcome, counters, events)
}

/// A recursion that is deep makes the hooks' stack grow, at some of its calls.
#[test]
fn what_the_hooks_allocate_is_no_event() {
    for jvm in Jvm::each(&[17, 25]) {
        let scratch = Scratch::new("own", jvm.feature);
        let outcome = Run::hazard(&jvm, "Deepening").within(&scratch).agent("hooks=all,alloc=4k,quiet").go();
        assert!(outcome.success(), "{outcome}");
        let events = decode(outcome.log()).events();
        let own = |event: &&Value| event["class"] == "long[]" && event["frames"][0]["method"] == "visit";
        let arrays = events.iter().filter(own).count();
        assert!(!events.is_empty() && arrays == 0, "{arrays} of {} on {}: {outcome}", events.len(), jvm.feature);
    }
}

/// A virtual thread takes the very monitor as it is unmounted: nobody may wait for that while he
/// has the monitor.
#[test]
fn monitors_that_virtual_threads_take_as_they_yield() {
    for jvm in Jvm::each(&[21, 25]) {
        run(&jvm, "Yielding", "locks,exceptions,verify=100000", &[]);
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("?")
}

/// The event's frames, innermost first, those without hooks behind a `+`.
fn frames(event: &Value) -> Vec<String> {
    let frames = event["frames"].as_array().expect("frames").iter();
    frames
        .map(|frame| {
            let sign = if frame["walked"].as_bool() == Some(true) { "+" } else { "" };
            let class = text(frame, "class");
            format!("{sign}{}.{}", class.rsplit('.').next().unwrap_or(class), text(frame, "method"))
        })
        .collect()
}

/// How often each class was thrown, by the innermost frame with hooks and, if there is one, the one
/// above it.
fn thrown(events: &[Value]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for event in events.iter().filter(|event| event["kind"] == "exception") {
        let frames = frames(event);
        let at = frames.iter().position(|frame| !frame.starts_with('+')).expect("a frame with hooks");
        let above = at.checked_sub(1).map_or_else(String::new, |above| format!(" {}", frames[above]));
        let class = text(event, "class");
        *counts.entry(format!("{} {}{above}", class.rsplit('.').next().unwrap_or(class), frames[at])).or_default() += 1;
    }
    counts
}

fn exceptions(feature: u32, rounds: u64, threads: u64) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let (rounds_text, threads_text) = (rounds.to_string(), threads.to_string());
    let arguments = [rounds_text.as_str(), threads_text.as_str()];
    // With `locks` the agent has a class of the JDK redefined, which must not make the stack looked
    // at for what the JVM has told.
    let options = "verify=1,locks,exceptions=java.lang.*Exception:hazards.*";
    let (_, counters, events) = run(&jvm, "Thrown", options, &arguments[..if threads > 0 { 2 } else { 1 }]);
    let counts = thrown(&events);
    for (what, each) in [
        ("Thrown$Mine Thrown.explicit", 3),
        // Compiled for `finally`.
        ("Thrown$Mine Thrown.passedOn", 2),
        ("Thrown$Mine Thrown.lambda$callback$0", 1),
        ("NullPointerException Thrown.pointer", 2),
        ("ArrayIndexOutOfBoundsException Thrown.index", 2),
        ("ArithmeticException Thrown.divide", 2),
        ("ArithmeticException Thrown$Made.<init>", 1),
        ("ClassCastException Thrown.cast", 1),
        ("ArrayStoreException Thrown.store", 1),
        ("NullPointerException Thrown.callsBare +Thrown.bare", 1),
        ("NumberFormatException Thrown.jdk +Integer.parseInt", 1),
    ] {
        let found = counts.get(what).copied().unwrap_or(0);
        assert_eq!(found, each * rounds * (threads + 1), "{what} on {feature}: {counts:#?}");
    }
    // Each call of the recursion is on the shadow stack: what an event says of it decodes to all of
    // them. The second one of two finds known nodes there.
    let is_deep = |frame: &&String| *frame == "Thrown.deep";
    let depths: Vec<_> = events.iter().map(|event| frames(event).iter().filter(is_deep).count()).collect();
    let of_deep: Vec<_> = depths.into_iter().filter(|depth| *depth > 0).collect();
    assert_eq!(of_deep, vec![31; (2 * rounds * (threads + 1)) as usize], "on {feature}");
    let counted = |name: &str| counters.counter(&format!("exceptions.{name}"));
    let logged = events.iter().filter(|event| event["kind"] == "exception").count();
    assert_eq!(counted("events"), logged as u64, "{counters}");
    assert_eq!((counted("dropped"), counted("lost"), counted("walks")), (0, 0, 0), "{counters}");
    // Two looks for what was thrown in code without hooks: `bare` and `Integer.parseInt`; a few
    // while the JVM starts.
    assert!(counted("looks") <= 4 * rounds * (threads + 1) + 100, "{counters}");
}

fn locks(feature: u32, virtual_threads: bool) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let count = 10;
    let arguments = ["10", "true"];
    let (outcome, counters, events) =
        run(&jvm, "Contended", "verify=1,locks", &arguments[..if virtual_threads { 2 } else { 1 }]);
    let of = |kind: &str, class: &str, top: &[&str]| {
        let matching = events.iter().filter(|event| {
            let frames = frames(event);
            let own = frames.iter().position(|frame| frame.contains("Contended.")).unwrap_or(0);
            event["kind"] == kind
                && event["class"].as_str().unwrap_or("") == class
                && frames[own..].iter().map(String::as_str).take(top.len()).eq(top.iter().copied())
        });
        matching.inspect(|event| assert!(event["value"].as_i64() > Some(0), "{event}")).count()
    };
    assert_eq!(of("monitor", "java.lang.Object", &["Contended.block"]), count, "{outcome}\n{events:#?}");
    let method = ["+Contended.method", "Contended.callsMethod"];
    assert_eq!(of("monitor", "java.lang.Class", &method), count, "{outcome}\n{events:#?}");
    assert_eq!(of("park", "java.lang.Object", &["Contended.nap"]), count, "{outcome}\n{events:#?}");
    assert_eq!(of("park", "", &["Contended.napAlone"]), count, "{outcome}\n{events:#?}");
    assert_eq!(of("park", "", &["Contended.until"]), count, "{outcome}\n{events:#?}");
    let lock = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
    assert!(of("park", lock, &["Contended.locked"]) >= count, "{outcome}\n{events:#?}");
    let counted = |name: &str| counters.counter(&format!("locks.{name}"));
    assert_eq!((counted("dropped"), counted("lost"), counted("walks")), (0, 0, 0), "{counters}");
}

/// The holder that a wait names is the thread that holds the lock, on the stack that it prints
/// itself; or it is unknown. A thread waits for a look so long and no longer: on a busy machine all
/// holders of a run may be unknown.
fn holders(feature: u32, virtual_threads: bool) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let missing: Vec<String> = (0..4).map_while(|_| missing_holders(&jvm, virtual_threads)).collect();
    assert!(missing.len() < 4, "{missing:#?}");
}

/// Runs once: what has no holder.
fn missing_holders(jvm: &Jvm, virtual_threads: bool) -> Option<String> {
    let arguments = ["6", "true"];
    let (outcome, counters, events) =
        run(jvm, "Held", "verify=1,locks", &arguments[..if virtual_threads { 2 } else { 1 }]);
    let own: Vec<Vec<String>> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("Held: "))
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect();
    assert_eq!(own.len(), 2, "{outcome}");
    let held = |class: &str, waiter: &str| {
        let waits = events.iter().filter(|event| {
            event["class"] == class && frames(event).iter().any(|frame| frame == waiter) && event["kind"] != "holder"
        });
        waits.filter(|event| event["holder"].is_object()).map(|event| &event["holder"]).collect::<Vec<_>>()
    };
    let monitors = held("java.lang.Object", "Held.enter");
    let locks = held("java.util.concurrent.locks.ReentrantLock$NonfairSync", "Held.acquire");
    for (holders, own) in [(&monitors, &own[0]), (&locks, &own[1])] {
        for holder in holders {
            if holder["unknown"].is_string() {
                assert_eq!((&holder["thread"], &holder["frames"]), (&Value::Null, &Value::Array(vec![])), "{holder}");
                continue;
            }
            let lines: Vec<String> = (holder["frames"].as_array().expect("frames").iter())
                .filter(|frame| text(frame, "class").starts_with("hazards."))
                .map(|frame| format!("{}:{}", text(frame, "method"), frame["line"]))
                .collect();
            assert_eq!((&lines, holder["thread"].as_str()), (own, Some("holder")), "{holder}\n{outcome}");
        }
    }
    let found = |holders: &[&Value]| holders.iter().filter(|holder| holder["unknown"].is_null()).count();
    // From JDK 23 on the JVM names no virtual thread as the owner of a monitor.
    let is_missing = found(&locks) == 0 || !virtual_threads && found(&monitors) == 0;
    let counted = |name: &str| counters.counter(&format!("locks.{name}"));
    assert!(counted("holders_found") <= counted("holders_looked"), "{counters}");
    assert!(counted("holders_looked") >= (monitors.len() + locks.len()) as u64, "{counters}");
    assert_eq!((counted("dropped"), counted("lost")), (0, 0), "{counters}");
    is_missing.then(|| format!("{counters}\n{events:#?}"))
}

/// Thousands of events of all sources, and not one walk of a whole stack.
fn walks(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let options = "verify=1000,alloc=4k,exceptions,locks,cpu=1ms";
    let (_, counters, events) = run(&jvm, "Thrown", options, &["600"]);
    let counted = |name: &str| counters.counter(name);
    assert!(
        counted("exceptions.events") > 9000 && counted("alloc.events") > 500 && counted("cpu.events") > 0,
        "{counters}"
    );
    let logged: u64 =
        ["alloc", "exceptions", "locks", "cpu"].map(|name| counted(&format!("{name}.events"))).iter().sum();
    assert_eq!(logged, events.len() as u64, "{counters}");
    for source in ["alloc", "exceptions", "locks", "cpu"] {
        assert_eq!(counted(&format!("{source}.walks")), 0, "{counters}");
    }
}

/// A program with every source on: the same output, no mismatch, and next to no walks.
fn program(feature: u32, main: &str, jars: &[&str], argument: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new(&format!("sources-{main}"), feature);
    let run = || {
        let class_path = [place().set("programs")].into_iter().chain(jars.iter().map(|jar| place().jar(jar)));
        Run::new(&jvm, &format!("programs.{main}"), class_path.collect())
            .within(&scratch)
            .option("-Xmx1g")
            .argument(argument)
    };
    let plain = run().go();
    let outcome = run().agent("alloc=256k,exceptions,locks,cpu=5ms,verify=3000").go();
    assert!(plain.success() && outcome.success(), "{plain}\n{outcome}");
    assert_eq!(plain.stdout, outcome.stdout, "{main} prints something else under the agent on {feature}:\n{outcome}");
    let counters = outcome.verified();
    for source in ["alloc", "exceptions", "locks", "cpu"] {
        let counted = |name: &str| counters.counter(&format!("{source}.{name}"));
        assert!(source == "locks" || counted("events") > 0, "no event of {source}\n{counters}");
        // Where other code has caught what came out of instrumented code, nothing is published, as
        // for calls.
        assert!(counted("walks") * 50 <= counted("events") + 50, "{source} walks\n{counters}");
    }
}

macro_rules! on {
    ($($name:ident: $check:expr, [$($feature:literal $test:ident),*];)*) => { $(
        mod $name {
            use super::*;
            $(
                #[test]
                fn $test() {
                    $check($feature);
                }
            )*
        }
    )* };
}

on! {
    exceptions_are_told_where_they_are_thrown: |feature| exceptions(feature, 300, 0), [11 on_11, 17 on_17, 21 on_21, 25 on_25];
    exceptions_of_virtual_threads: |feature| exceptions(feature, 20, 20), [21 on_21, 25 on_25];
    waits_are_told_with_their_monitors: |feature| locks(feature, false), [11 on_11, 17 on_17, 21 on_21, 25 on_25];
    waits_name_the_holder: |feature| holders(feature, false), [11 on_11, 17 on_17, 21 on_21, 25 on_25];
    waits_name_virtual_holders: |feature| holders(feature, true), [21 on_21, 25 on_25];
    waits_of_virtual_threads: |feature| locks(feature, true), [21 on_21, 25 on_25];
    thousands_of_events_and_no_walk: walks, [11 on_11, 17 on_17, 21 on_21, 25 on_25];
    a_database_with_every_source: |feature| program(feature, "Database", &["h2"], "1"), [11 on_11, 21 on_21];
    a_server_with_every_source: |feature| program(feature, "Server", &["tomcat", "tomcat-annotations"], "15"), [17 on_17, 25 on_25];
}

#[test]
fn what_is_allocated_before_a_thread_has_begun_its_first_method_is_outside() {
    let Some(jvm) = Jvm::of(25) else { return };
    // `verified` demands that nothing was lost.
    let (_, counters, _) = run(&jvm, "ThreadBases", "alloc=64,verify=1", &[]);
    assert!(counters.counter("alloc.outside") > 0);
}

/// The shorter the events of a log, the harder that is: here they are of few contexts, and take
/// less than four bytes each.
#[test]
fn json_with_a_dictionary_takes_at_most_ten_times_the_log() {
    for jvm in Jvm::each(&[17, 25]) {
        let scratch = Scratch::new("dictionary", jvm.feature);
        let run = Run::target(&jvm, "leaks.SessionCache").within(&scratch);
        let outcome = run.agent("alloc=4k,exceptions,locks,quiet").go();
        assert!(outcome.success(), "{outcome}");
        let log = outcome.log().metadata().expect("a log").len();
        let view = |more: &[&str]| decode(outcome.log()).view_of("events", &[&["--format", "json"], more].concat()).1;
        let (full, short) = (view(&[]), view(&["--stacks", "dictionary"]));
        assert!(full.lines().count() > 5_000 && short.lines().count() > 5_000, "{outcome}");
        let ratio = short.len() as f64 / log as f64;
        assert!(
            ratio <= 10.0,
            "{ratio:.1} times the {log} bytes of the log on {}; in full {}",
            jvm.feature,
            full.len()
        );
    }
}
