//! Where threads and tasks come from: the context that called `Thread.start` or handed over the
//! task, behind the trace of each event.
//!
//! Invariant: each step is the stack that the target has taken itself on the line where it started
//! the thread or handed over the task.
//! Source: DACCE section 5.3; docs/design/origins.md.

use std::collections::BTreeMap;

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, is_of_jdk, place, turn};
use serde_json::Value;

/// Steps that the log keeps.
const DEPTH: usize = 16;

/// A frame as the targets print it.
fn frame(frame: &Value) -> String {
    let text = |key: &str| frame[key].as_str().unwrap_or_default().to_owned();
    format!("{}.{}:{}", text("class"), text("method"), frame["line"].as_i64().unwrap_or(-1))
}

/// The steps behind an event, as the targets print them.
fn steps(event: &Value) -> Vec<String> {
    let steps = event["origins"].as_array().into_iter().flatten();
    let step = |step: &Value| {
        let mut frames: Vec<String> = step["frames"].as_array().into_iter().flatten().map(frame).collect();
        frames.extend(step["unknown"].as_str().map(|why| format!("[{why}]")));
        format!("{} {}", step["kind"].as_str().unwrap_or_default(), frames.join(";"))
    };
    steps.map(step).collect()
}

/// Are there steps that are not kept?
fn is_cut(event: &Value) -> bool {
    event["origins"].as_array().and_then(|steps| steps.last()).is_some_and(|step| step["cut"] == true)
}

/// What the target says of each event, by name.
fn expected(outcome: &Outcome) -> BTreeMap<String, Vec<Vec<String>>> {
    let mut expected: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for line in outcome.stdout.lines() {
        let (name, steps) = line.split_once('|').unwrap_or_else(|| panic!("no event: {line}\n{outcome}"));
        let steps = if steps.is_empty() { Vec::new() } else { steps.split('|').map(str::to_owned).collect() };
        expected.entry(name.into()).or_default().push(steps);
    }
    expected
}

/// A step as the targets print it: without the JDK's frames; `None` if it has no others.
fn without_jdk(step: &str) -> Option<String> {
    let (kind, frames) = step.split_once(" at ")?;
    let own: Vec<&str> = frames.split(';').filter(|frame| !is_of_jdk(frame)).collect();
    (!own.is_empty()).then(|| format!("{kind} at {}", own.join(";")))
}

/// Compares all events of a run with what the target has said, both by name.
fn compare(outcome: &Outcome) -> usize {
    compare_as(outcome, steps)
}

/// [`compare`], with that reading of an event's steps.
fn compare_as(outcome: &Outcome, steps: impl Fn(&Value) -> Vec<String>) -> usize {
    let mut found: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for event in decode(outcome.log()).events() {
        let name = event["kind"].as_str().expect("events have kinds").to_owned();
        let steps = steps(&event);
        assert_eq!(is_cut(&event), name.starts_with("nested") && deeper(&name), "{name}: {event}");
        found.entry(name).or_default().push(steps);
    }
    let mut expected = expected(outcome);
    for all in expected.values_mut().chain(found.values_mut()) {
        all.iter_mut().for_each(|steps| steps.truncate(DEPTH));
        all.sort();
    }
    let names: Vec<_> = expected.keys().collect();
    assert_eq!(names, found.keys().collect::<Vec<_>>(), "{outcome}");
    for (name, steps) in &expected {
        assert_eq!(steps, &found[name], "{name}\n{outcome}");
    }
    expected.len()
}

/// Does a thread of the target that starts itself again stand deeper than what is kept?
fn deeper(name: &str) -> bool {
    name.trim_start_matches("nested").parse::<usize>().is_ok_and(|depth| depth > DEPTH)
}

/// The run, and the folder of its log.
fn on(feature: u32, options: &str) -> Option<(Outcome, Scratch)> {
    let jvm = Jvm::of(feature)?;
    let scratch = Scratch::new("origins", feature);
    let options = format!("{options},verify=1");
    let outcome = Run::hazard(&jvm, "Origins").within(&scratch).agent(&options).go();
    assert!(outcome.success(), "{outcome}");
    outcome.verified();
    let names = compare(&outcome);
    // Those of nested threads, and the other ways; five more with virtual threads.
    assert_eq!(names, 21 + 8 + if feature >= 21 { 5 } else { 0 }, "{outcome}");
    Some((outcome, scratch))
}

fn tasks_on(feature: u32, hooks: &str) {
    tasks_with(feature, hooks, None);
}

/// Some of the JDK's pools are others where there are few processors.
fn tasks_by(feature: u32, processors: u32) {
    tasks_with(feature, "hooks=all", Some(processors));
}

fn tasks_with(feature: u32, hooks: &str, processors: Option<u32>) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("tasks", feature);
    let run = || {
        let run = Run::hazard(&jvm, "Tasks").within(&scratch);
        match processors {
            Some(count) => run.option(format!("-XX:ActiveProcessorCount={count}")),
            None => run,
        }
    };
    let outcome = run().agent(&format!("{hooks},async=on,verify=1")).go();
    assert!(outcome.success(), "{outcome}");
    outcome.verified();
    compare(&outcome);
    // On one processor the caller runs all parts of a parallel stream.
    let names = expected(&outcome).keys().filter(|name| *name != "parallel").count();
    let (per_task, scheduled) = (if feature >= 21 { 19 } else { 0 }, if feature >= 25 { 4 } else { 0 });
    assert_eq!(names, 54 + per_task + scheduled, "{outcome}");
    if processors.is_some() && !turn::is_whole() {
        return;
    }
    // Without the option nothing is inserted, and no task has an origin of its own but what
    // `Lucce.wrap` gives.
    let without = run().agent(&format!("{hooks},verify=1")).go();
    assert!(without.success(), "{without}");
    let submitted = |event: &Value| steps(event).iter().any(|step| step.starts_with("submitted"));
    let wrapped = |event: &Value| ["before", "between", "behind"].map(Value::from).contains(&event["kind"]);
    assert!(decode(without.log()).events().iter().all(|event| submitted(event) == wrapped(event)), "{without}");
}

/// With hooks in the executors themselves: the same steps, behind the JDK's frames.
fn tasks_with_the_jdk_on(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("jdk-tasks", feature);
    let outcome = Run::hazard(&jvm, "Tasks").within(&scratch).agent("jdk=on,async=on,verify=200").go();
    assert!(outcome.success(), "{outcome}");
    outcome.verified();
    let own = |event: &Value| steps(event).iter().filter_map(|step| without_jdk(step)).collect();
    assert!(compare_as(&outcome, own) > 30, "{outcome}");
}

macro_rules! matrix {
    ($($test:ident: $feature:literal $options:literal;)*) => { $(
        #[test]
        fn $test() {
            drop(on($feature, $options));
        }
    )* };
}

matrix! {
    threads_know_where_they_were_started_on_11: 11 "hooks=all";
    threads_know_where_they_were_started_on_17: 17 "hooks=all";
    threads_know_where_they_were_started_on_21: 21 "hooks=all";
    threads_know_where_they_were_started_on_25: 25 "hooks=all";
    threads_know_it_with_calling_context_trees_too: 17 "encoder=cct";
    threads_know_it_with_algorithm_1_too: 21 "encoder=algorithm1";
    threads_know_it_where_methods_sleep_on_17: 17 "hooks=demand";
    threads_know_it_where_methods_sleep_on_25: 25 "hooks=demand";
    threads_know_it_where_methods_wake: 21 "hooks=demand,wake=100";
    threads_know_it_where_tasks_are_followed_on_17: 17 "async=on";
}

#[test]
fn tasks_know_it_with_hooks_in_the_jdk_on_11_and_25() {
    tasks_with_the_jdk_on(11);
    tasks_with_the_jdk_on(25);
}

#[test]
fn tasks_know_it_with_hooks_in_the_jdk_on_17_and_21() {
    tasks_with_the_jdk_on(17);
    tasks_with_the_jdk_on(21);
}

#[test]
fn tasks_know_where_they_were_handed_over_on_11() {
    tasks_on(11, "hooks=all");
}

#[test]
fn tasks_know_where_they_were_handed_over_on_17() {
    tasks_on(17, "hooks=all");
}

#[test]
fn tasks_know_where_they_were_handed_over_on_21() {
    tasks_on(21, "hooks=all");
}

#[test]
fn tasks_know_where_they_were_handed_over_on_25() {
    tasks_on(25, "hooks=all");
}

#[test]
fn tasks_know_it_on_one_processor_and_on_four() {
    tasks_by(17, 1);
    tasks_by(21, 1);
    tasks_by(17, 4);
    tasks_by(21, 4);
}

#[test]
fn tasks_know_it_where_methods_sleep() {
    tasks_on(17, "hooks=demand");
    tasks_on(25, "hooks=demand,wake=100");
}

/// Runs a target both ways: the same output, and every check holds although tasks are followed.
fn exact(run: impl Fn() -> Run, options: &str) {
    let plain = run().go();
    assert!(plain.success(), "{plain}");
    let agent = run().agent(&format!("async=on,{options}")).go();
    assert!(agent.success(), "{agent}");
    assert_eq!(plain.stdout, agent.stdout, "{agent}");
    let counters = agent.verified();
    for what in ["threads and tasks", "tasks"] {
        assert_eq!(
            counters.skipped(&format!("its {what} are not followed: it is not as it is known")),
            0,
            "{counters}"
        );
    }
}

fn hazard(feature: u32, target: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new(target, feature);
    exact(|| Run::hazard(&jvm, target).within(&scratch), "verify=1,exclude=hazards.plain.*");
}

fn program(feature: u32, main: &str, jars: &[&str], count: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new(main, feature);
    let mut class_path = vec![place().set("programs")];
    class_path.extend(jars.iter().map(|jar| place().jar(jar)));
    let run = || {
        let run = Run::new(&jvm, &format!("programs.{main}"), class_path.clone()).within(&scratch).limit(600);
        run.option("-Xmx1g").argument(count)
    };
    exact(run, "alloc=1m,verify=300");
}

#[test]
fn contexts_stay_exact_when_tasks_are_followed_on_11() {
    hazard(11, "ThreadPools");
    hazard(11, "Races");
}

#[test]
fn contexts_stay_exact_when_tasks_are_followed_on_17() {
    hazard(17, "ThreadPools");
    hazard(17, "ThreadBases");
    program(17, "Server", &["tomcat", "tomcat-annotations"], "30");
}

#[test]
fn contexts_stay_exact_when_tasks_are_followed_on_21() {
    hazard(21, "ParallelStreams");
    hazard(21, "VirtualThreads");
    program(21, "Search", &["lucene-core", "lucene-analysis", "lucene-queryparser"], "100");
}

#[test]
fn contexts_stay_exact_when_tasks_are_followed_on_25() {
    hazard(25, "ThreadPools");
    hazard(25, "VirtualThreads");
}

#[test]
fn a_task_that_found_no_room_is_not_taken_for_itself_at_a_later_time() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("away", jvm.feature);
        let outcome = Run::hazard(&jvm, "TurnedAway").within(&scratch).agent("async=on").go();
        assert!(outcome.success(), "{outcome}");
        let events = decode(outcome.log()).events();
        assert_eq!(events.len(), 2, "{outcome}");
        for event in events {
            let steps = steps(&event);
            assert!(steps[0].starts_with("submitted at [") && !steps[0].contains("TurnedAway"), "{steps:?}\n{outcome}");
        }
    }
}

/// A class whose initialiser fails there has failed for ever.
#[test]
fn what_is_first_used_where_the_stack_ends_works_behind_it() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("first-end", jvm.feature);
        let run = || Run::hazard(&jvm, "FirstAtTheEnd").within(&scratch).option("-Xint");
        let outcome = run().option("-Xlog:class+init=info").agent("async=on").go();
        assert!(outcome.success() && outcome.stdout.contains("told 7"), "{outcome}");
        let initialised = |class: &str| outcome.stdout.find(&format!("Initializing '{class}'"));
        let hooks_of_tasks = initialised("java/lang/LucceTasks").expect("it is initialised");
        assert!(Some(hooks_of_tasks) < initialised("hazards/FirstAtTheEnd"), "{outcome}");
        let events = decode(outcome.log()).events();
        let wrapped_and_executed = &events[events.len() - 2..];
        for event in wrapped_and_executed {
            assert!(steps(event)[0].starts_with("submitted at hazards.FirstAtTheEnd.main"), "{event}\n{outcome}");
        }
        assert_ne!(steps(&wrapped_and_executed[0]), steps(&wrapped_and_executed[1]), "{outcome}");
        let without = run().go();
        assert!(without.success() && without.stdout.is_empty(), "{without}");
    }
}

/// Near the end of the stack what was in force before could not be put back.
#[test]
fn a_wrapped_task_leaves_no_step_behind_where_the_stack_ends() {
    for feature in [11, 17, 25] {
        let Some(jvm) = Jvm::of(feature) else { continue };
        let scratch = Scratch::new("wrapped-end", feature);
        let run = Run::hazard(&jvm, "NearTheEnd").within(&scratch).option("-Xint");
        let outcome = run.agent("quiet").go();
        assert!(outcome.success(), "{outcome}");
        let events = decode(outcome.log()).events();
        assert_eq!(events.len(), 201, "{outcome}");
        for event in &events {
            assert_eq!(steps(event), steps(&events[0]), "{event}\n{outcome}");
        }
    }
}

/// The JDK's own continuations go on below other callers than before. No activation in there has a
/// word, and each event is walked.
#[test]
fn continuations_that_are_no_virtual_threads() {
    for (feature, options) in [21, 25].into_iter().flat_map(|feature| {
        ["verify=1", "verify=1,jdk=on,encoder=lucce", "verify=1,hooks=demand,wake=20"].map(|options| (feature, options))
    }) {
        let Some(jvm) = Jvm::of(feature) else { continue };
        let scratch = Scratch::new("continued", feature);
        let opens = "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED";
        let run = || Run::hazard(&jvm, "Continued").within(&scratch).option(opens);
        let right = run().agent(options).go();
        assert_eq!(right.stdout, "done\n", "{options} on {feature}\n{right}");
        let counters = right.verified();
        let events = decode(right.log()).events();
        let unknown = events.iter().find(|event| !event["unknown"].is_null());
        assert!(events.len() > 1000 && unknown.is_none(), "{options} on {feature}: {unknown:?}\n{counters}");
        let wrong = run().without(&["continuation"], options).go().counters();
        assert!(wrong.mismatches() > 0, "nothing is wrong without: {options} on {feature}\n{wrong}");
    }
}

/// A thread is stopped where a hook has just pushed, among other places. What it does afterwards
/// has its exact context.
#[test]
fn threads_that_others_stop() {
    for (feature, options) in [11, 17].into_iter().flat_map(|feature| {
        ["verify=1", "verify=1,alloc=all,encoder=lucce", "verify=1,hooks=demand,wake=20"]
            .map(|options| (feature, options))
    }) {
        let Some(jvm) = Jvm::of(feature) else { continue };
        let scratch = Scratch::new("stopped", feature);
        // Compiled code looks for the error at calls and loops alone, the interpreter between any
        // two instructions.
        let stops = if turn::is_whole() { 400 } else { 120 };
        let run = || Run::hazard(&jvm, "Stopped").within(&scratch).option("-Xint").option(format!("-Dstops={stops}"));
        let right = run().agent(options).go();
        assert_eq!(right.stdout, "ended\n", "{options} on {feature}\n{right}");
        let counters = right.verified();
        assert_eq!(counters.counter("threads.stopped"), stops, "{counters}");
        let wrong = run().without(&["stopped"], options).go().counters();
        assert!(wrong.mismatches() > 0, "nothing is wrong without: {options} on {feature}\n{wrong}");
    }
}
