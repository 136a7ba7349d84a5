//! `cpu=<interval>`: CPU time goes to the activation that has used it, each nanosecond once, and
//! nothing that is done for it hurts the program.
//!
//! Invariant: what is compared with are the threads' own clocks (`ThreadMXBean`), as shares: a
//! machine with other work changes none of them.
//! Source: docs/guide/event-sources.md.

use lucce_jvm_tests::{COMPARED, Counters, Jvm, MATRIX, Outcome, Run, Scratch, decode, turn};
use serde_json::Value;

/// Runs a target under `cpu`; the outcome, its counters and its events.
fn run(jvm: &Jvm, target: &str, options: &str, flags: &[&str], arguments: &[&str]) -> (Outcome, Counters, Vec<Value>) {
    let scratch = Scratch::new(&format!("cpu-{target}-{}-{}", flags.len(), arguments.len()), jvm.feature);
    let run = flags.iter().fold(Run::hazard(jvm, target).within(&scratch), |run, flag| run.option(*flag));
    let outcome = arguments.iter().fold(run, |run, argument| run.argument(*argument)).agent(options).go();
    assert!(outcome.success(), "{target} fails on {}:\n{outcome}", jvm.feature);
    let counters = outcome.counters();
    let events = decode(outcome.log()).events();
    assert!(events.iter().all(|event| event["kind"] == "cpu" && nanos(event) > 0));
    assert_eq!(counters.counter("cpu.events"), events.len() as u64, "{counters}");
    assert_eq!((counters.counter("cpu.dropped"), counters.counter("panics")), (0, 0), "{counters}");
    (outcome, counters, events)
}

fn nanos(event: &Value) -> i64 {
    event["value"].as_i64().expect("a value")
}

/// Does a frame of the event run this method?
fn is_within(event: &Value, method: &str) -> bool {
    let frames = event["frames"].as_array().expect("frames").iter();
    frames.into_iter().any(|frame| frame["method"].as_str() == Some(method))
}

fn time(events: &[Value], wanted: impl Fn(&Value) -> bool) -> i64 {
    events.iter().filter(|event| wanted(event)).map(nanos).sum()
}

/// A program that knows what it has used: in a method without hooks, in calls, in the JDK.
fn known(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let (outcome, counters, events) = run(&jvm, "Burning", "cpu=1ms,verify=100000", &[], &[]);
    assert_eq!(counters.mismatches(), 0, "{counters}");
    let told: Vec<(&str, i64)> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split_once(' ').and_then(|(method, used)| Some((method, used.parse().ok()?))))
        .collect();
    assert_eq!(told.len(), 3, "{outcome}");
    let all: i64 = told.iter().map(|(_, used)| used).sum();
    for (method, used) in told {
        let found = time(&events, |event| is_within(event, method));
        let off = (found - used).abs() as f64 / all as f64;
        assert!(off < 0.02, "{method} on {feature}: {found} ns of {used}\n{outcome}\n{counters}");
    }
    // What is behind each phase has done nothing.
    let innocent = time(&events, |event| is_within(event, "innocent"));
    assert!(innocent * 50 < all, "{innocent} ns of {all} on {feature}");
    // None is charged twice.
    let main = time(&events, |event| event["thread"] == "main");
    assert!(main >= all * 98 / 100, "{main} ns of {all}\n{counters}");
    assert_eq!(counters.counter("slow.entries") / 1000, 0, "methods may sleep: {counters}");
}

/// Threads that compute beside one that wakes up often to do nearly nothing.
fn shared(feature: u32, virtual_threads: bool) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let options = "cpu=1ms,verify=100000";
    let (outcome, counters, events) = run(&jvm, "Ticking", options, &[], if virtual_threads { &["20"] } else { &[] });
    assert_eq!(counters.mismatches(), 0, "{counters}");
    let busy = time(&events, |event| is_within(event, "compute"));
    let idle = time(&events, |event| is_within(event, "idle"));
    assert!(busy > 0 && busy > 5 * idle, "{busy} ns and {idle} ns\n{outcome}");
}

/// JFR traces a method, so its code is another's from then on: what it uses is told as that of its
/// caller, with its name above.
#[test]
fn time_in_a_method_that_another_agent_has_changed() {
    let Some(jvm) = Jvm::of(25) else { return };
    let traced = "-XX:StartFlightRecording:jdk.MethodTiming#filter=hazards.Traced::work,jdk.MethodTrace#filter=hazards.Traced::work";
    let (outcome, counters, events) = run(&jvm, "Traced", "cpu=1ms", &[traced], &[]);
    assert_eq!((counters.counter("cpu.lost"), counters.lost()), (0, 0), "{counters}");
    let used = outcome.stdout.lines().find_map(|line| line.strip_prefix("used ")?.parse::<i64>().ok());
    let used = used.expect("it says what it has used");
    let within = time(&events, |event| event["thread"] == "main" && is_within(event, "main"));
    assert!(within * 5 > used * 4 && within * 4 < used * 5, "{within} of {used} ns\n{outcome}\n{counters}");
}

/// Signals at every turn, while code is compiled at once, objects move, classes go and virtual
/// threads mount.
fn stormy(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let options = "quiet,cpu=100us,exceptions,locks,alloc=64k";
    let any = |target, flags: &[&str], arguments: &[&str]| {
        let scratch = Scratch::new(&format!("storm-{target}-{}", flags.len()), feature);
        let run = flags.iter().fold(Run::hazard(&jvm, target).within(&scratch), |run, flag| run.option(*flag));
        let run = if turn::is("stormy", &MATRIX, feature) { run } else { run.plain() };
        let outcome = arguments.iter().fold(run, |run, argument| run.argument(*argument)).agent(options).go();
        assert!(outcome.success(), "{target} fails on {feature}:\n{outcome}");
        let counters = outcome.counters();
        assert!(counters.counter("cpu.events") > 0 && counters.counter("panics") == 0, "{counters}");
    };
    any("Thrown", &["-Xcomp", "-Xmx64m"], if feature < 21 { &["20"] } else { &["20", "2"] });
    any("Unloading", &["-Xmx64m", "-XX:+UseSerialGC", "-XX:MaxMetaspaceSize=48m"], &["1500", "1"]);
    if feature >= 21 {
        any("Ticking", &["-XX:+UseParallelGC", "-Xmx64m"], &["40"]);
    }
}

/// Stubs that copy are no methods, and their time is their caller's. An agent that does not know of
/// stubs says that it does not know.
fn copies(feature: u32) {
    // The shapes of stubs are those of x86-64.
    let Some(jvm) = Jvm::of(feature).filter(|_| cfg!(target_arch = "x86_64")) else { return };
    let unknown = |without: &[&str]| {
        let scratch = Scratch::new(&format!("copying-{}", without.len()), feature);
        let run = Run::hazard(&jvm, "Copying").within(&scratch).argument("60000").without(without, "cpu=1ms");
        let outcome = run.go();
        assert!(outcome.success(), "{outcome}");
        let events: Vec<Value> =
            decode(outcome.log()).events().into_iter().filter(|event| event["thread"] == "main").collect();
        let copying = time(&events, |event| is_within(event, "copy"));
        let unknown = time(&events, |event| event["unknown"].is_string());
        assert!(copying > 0, "{outcome}");
        unknown as f64 / (unknown + copying) as f64
    };
    let (known, wrong) = (unknown(&[]), unknown(&["stubs"]));
    assert!(known < 0.1 && wrong > 0.3, "{known} and {wrong} on {feature}");
}

/// A walk that ends early must not be taken for a whole one: the base of its thread is asked for.
#[test]
fn a_base_is_proved() {
    let Some(jvm) = Jvm::of(17) else { return };
    let (_, counters, events) = run(&jvm, "Burning", "cpu=1ms", &["-Xint"], &[]);
    let has_base = |event: &Value| event["unknown"].is_string() || is_within(event, "main");
    let main = || events.iter().filter(|event| event["thread"] == "main" && is_within(event, "turn"));
    assert!(main().count() > 0 && main().all(has_base), "{counters}");
}

/// Threads of the JDK's own, without one frame that has hooks: their contexts are the thread's
/// base, and none is lost.
#[test]
fn time_of_threads_without_a_frame_of_the_program() {
    let flag = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2";
    for encoder in ["lucce", "pcc", "icpp"] {
        for jvm in turn::of("BareThreads", &COMPARED) {
            let options = format!("encoder={encoder},cpu=1ms");
            let (_, counters, events) = run(&jvm, "BareThreads", &options, &[flag], &[]);
            let workers = events.iter().filter(|event| is_a_workers(event));
            let (known, unknown): (Vec<&Value>, Vec<&Value>) = workers.partition(|event| event["unknown"].is_null());
            assert!(known.len() > unknown.len(), "{} unknown under {options}\n{counters}", unknown.len());
            assert!(known.iter().all(|event| has_frames(event)), "no frames under {options}");
            assert_eq!(counters.counter("cpu.unknown.kept"), 0, "{options}\n{counters}");
        }
    }
}

fn is_a_workers(event: &Value) -> bool {
    event["thread"].as_str().is_some_and(|thread| thread.contains("worker"))
}

fn has_frames(event: &Value) -> bool {
    event["frames"].as_array().is_some_and(|frames| !frames.is_empty())
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
    time_goes_to_who_uses_it: known, [11 on_11, 17 on_17, 21 on_21, 25 on_25];
    threads_are_told_apart: |feature| shared(feature, false), [17 on_17];
    virtual_threads_are_told_with_their_frames: |feature| shared(feature, true), [21 on_21, 25 on_25];
    time_in_stubs_is_their_callers: copies, [11 on_11, 17 on_17, 21 on_21, 25 on_25];
    no_signal_hurts: stormy, [11 on_11, 17 on_17, 21 on_21, 25 on_25];
}
