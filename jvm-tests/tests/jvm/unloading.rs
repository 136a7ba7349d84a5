//! A program that loads and drops classes without end keeps flat memory under the agent.
//!
//! Invariant: what is measured is the memory of the whole process but for mapped files, each time
//! when the classes are gone. The Java heap is there from the beginning, and only C1 compiles, so
//! that little else grows; what the JVM itself keeps of unloaded classes (`jmethodID`s) counts.
//! `LUCCE_CLASSES=200000` loads more, and `-- --nocapture` prints what was measured.

use std::env;

use lucce_jvm_tests::{Jvm, Run, Scratch, decode};
use serde_json::Value;

/// Classes loaded unless told otherwise, each with a nested one if it is not hidden.
const CLASSES: i64 = 12_000;
/// Classes from one reading to the next, when all are gone: so few that the JVM has no need to
/// collect in between. If it has, each part has another greatest number of classes at a time, and
/// memory grows wherever one exceeds those before.
const PART: i64 = 2000;
/// JDK 11 grows until some 8000 classes have come and gone, without the agent by less: there are
/// more of them, and growth is counted from the fourth part on.
const CLASSES_ON_11: i64 = 24_000;
const SETTLED_ON_11: usize = 3;
/// Bytes that an unloaded class may leave behind, while tables still grow to their full size: 50 to
/// 250 are measured. Without what is forgotten about live methods that it has called it is 1300,
/// without unloading ten thousand.
const LEFT: i64 = 600;

/// The same with hooks at work, and with every source on: their tables grow to their full size for
/// longer. 200 to 800 are measured; without what is forgotten of the contexts that events and
/// counts were in it is 4500 and more.
const LEFT_WITH_HOOKS: i64 = 2000;
const EVERYTHING: &str = "alloc=all,entries=hazards.*,exceptions,locks,async=on";

fn flat(feature: u32, hidden: bool) {
    flat_with(feature, "hooks=demand", hidden, LEFT);
}

fn flat_with(feature: u32, with: &str, hidden: bool, at_most: i64) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let given = env::var("LUCCE_CLASSES").ok().and_then(|n| n.parse().ok());
    let (classes, settled) = if feature == 11 { (CLASSES_ON_11, SETTLED_ON_11) } else { (CLASSES, 0) };
    let classes = given.unwrap_or(classes);
    let scratch = Scratch::new("unloading", feature);
    let options =
        "-Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:MaxMetaspaceSize=48m";
    let run = Run::hazard(&jvm, "Unloading").within(&scratch).limit(3600);
    let run = options.split(' ').fold(run, |run, option| run.option(option));
    let run = run.argument(classes.to_string()).argument((classes / PART).to_string());
    let outcome = if hidden { run.argument("hidden") } else { run }.agent(&format!("quiet,{with}")).go();
    assert!(outcome.success(), "{outcome}");

    let number = |text: &str| text.parse::<i64>().ok();
    let samples: Vec<_> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split_once(' ').and_then(|(at, kib)| Some((number(at)?, number(kib)?))))
        .collect();
    let [first, .., last] = samples.get(settled..).unwrap_or_default() else { panic!("no samples\n{outcome}") };
    let left = (last.1 - first.1) * 1024 / (last.0 - first.0);
    println!("{feature}, {with}, hidden {hidden}: (classes, KiB) {samples:?}; {left} bytes a class");
    assert!(left < at_most, "{left} bytes are left of each class: {samples:?}\n{outcome}");
    if !hidden {
        let counters = outcome.counters();
        let unloaded = counters.counter("classes.unloaded") as i64;
        assert!(unloaded > last.0 * 3 / 2, "only {unloaded} classes were forgotten\n{counters}");
        if with.starts_with(EVERYTHING) {
            // Each class is told to work once, and those for which that ends with an exception
            // throw it once.
            let (_, events, _) = decode(outcome.log()).view(&["--events", "--kind", "entry", "--format", "json"]);
            // Most lines are of other methods, and to read them as JSON takes longer than the run.
            let named = events.lines().filter(|line| line.contains(r#""method":"work""#));
            let events = named.map(|line| serde_json::from_str(line).expect("each line is an object"));
            let work = events.filter(is_work).map(|event| count(&event)).sum::<i64>();
            assert_eq!((work, counters.counter("exceptions.events") as i64), (classes, classes / 5 * 3), "{counters}");
        }
    }
}

/// Was the method invoked that each class is told to run?
fn is_work(event: &Value) -> bool {
    event["frames"][0]["method"] == "work"
}

fn count(event: &Value) -> i64 {
    event["count"].as_i64().expect("a number")
}

#[test]
fn classes_that_come_and_go_leave_no_memory_behind_on_11() {
    flat(11, false);
}

#[test]
fn classes_that_come_and_go_leave_no_memory_behind_on_17() {
    flat(17, false);
}

#[test]
fn classes_that_come_and_go_leave_no_memory_behind_on_25() {
    flat(25, false);
}

#[test]
fn hidden_classes_that_come_and_go_leave_no_memory_behind_on_21() {
    flat(21, true);
}

#[test]
fn classes_with_hooks_that_come_and_go_leave_no_memory_behind_on_17() {
    flat_with(17, "hooks=all", false, LEFT_WITH_HOOKS);
}

#[test]
fn nor_do_their_samples() {
    flat_with(17, "profile=11,hot=1e-3,window=1s", false, LEFT_WITH_HOOKS);
}

#[test]
fn nor_do_their_events_and_counts() {
    flat_with(25, &format!("{EVERYTHING},encoder=lucce"), false, LEFT_WITH_HOOKS);
}

#[test]
fn nor_do_what_their_words_were_learned_to_mean() {
    flat_with(17, EVERYTHING, false, LEFT_WITH_HOOKS);
}
