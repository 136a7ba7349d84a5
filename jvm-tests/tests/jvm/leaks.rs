//! The leak detector on small services: five that leak, two that do not, under each collector.
//!
//! Invariant: what leaks is the first suspect, what does not is never suspected, and no object is kept alive for being watched.
//! Source: README, "Leaks".

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode};
use serde_json::Value;

/// Leaking services, each with the method that is in the trace of its leak.
const LEAKING: [(&str, &str); 5] = [
    ("SessionCache", "leaks.SessionCache.session"),
    ("Listeners", "leaks.Listeners.open"),
    ("PooledLocals", "leaks.PooledLocals.entry"),
    ("Registry", "leaks.Registry$Kept.record"),
    ("Redeploy", "leaks.Redeploy.deploy"),
];
const CLEAN: [&str; 2] = ["Bounded", "Batches"];

const EXPLICIT: &str = "-Dcollect=800";

/// What the detector has said of a run.
struct Watched {
    outcome: Outcome,
    /// The suspects as JSON.
    suspects: Vec<Value>,
    /// The first one for people.
    text: String,
}

/// Runs a service.
fn watched(target: &str, feature: u32, options: &[&str]) -> Option<Watched> {
    let jvm = Jvm::of(feature)?;
    let scratch = Scratch::new(target, feature);
    let run =
        Run::target(&jvm, &format!("leaks.{target}")).within(&scratch).option("-Xmx64m").option("-Drequests=16000");
    let run = options.iter().fold(run, |run, option| run.option(*option));
    let outcome = run.agent("leaks=4k").go();
    assert!(outcome.success() && outcome.stdout.ends_with("served\n"), "{target} on {feature}: {outcome}");
    assert!(outcome.stdout.starts_with("0 dropped objects are alive\n"), "{target} on {feature}: {outcome}");
    let counters = outcome.counters();
    assert!(counters.complete() && counters.counter("panics") == 0, "{counters}");
    let (status, out, err) = decode(outcome.log()).view_of("leaks", &["--format", "json"]);
    assert_eq!(status, 0, "{err}");
    let suspects = out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    let (_, text, _) = decode(outcome.log()).view_of("leaks", &["--top", "1"]);
    Some(Watched { outcome, suspects, text })
}

fn leaks(target: &str, method: &str, feature: u32, options: &[&str]) {
    let Some(Watched { outcome, suspects, text }) = watched(target, feature, options) else { return };
    let (class, name) = method.rsplit_once('.').expect("class and method");
    let first = suspects.first().unwrap_or_else(|| panic!("{target} on {feature} {options:?}: no suspect\n{outcome}"));
    let frames = first["frames"].as_array().expect("frames");
    let there = frames.iter().any(|frame| frame["class"] == class && frame["method"] == name);
    assert!(there, "{target} on {feature} {options:?}: {first:#}");
    assert!(first["unknown"].is_null() && first["withdrawn_ns"].is_null(), "{first:#}");
    let number = |key: &str| first[key].as_i64().unwrap_or(0);
    assert!(number("bytes") > 0 && number("growth") > 0 && number("generations") >= 6, "{first:#}");
    let history = first["history"].as_array().expect("a history");
    let last = history.last().expect("a look");
    assert!(history.len() > 1 && last["bytes"] == first["bytes"], "the end writes a last state: {first:#}");
    let named = [format!("at {method}("), "suspected after".into(), "old collection".into(), "generations".into()];
    assert!(named.iter().all(|part| text.contains(part)) && text.contains("\n 1. c"), "{text}");
    let seconds = |key: &str| number(key) as f64 / 1e9;
    println!(
        "{target} on {feature} {options:?}: growing since {:.2} s, suspected after {:.2} s at old collection {}",
        seconds("since_ns"),
        seconds("suspected_ns"),
        history[0]["collections"]
    );
}

fn is_clean(target: &str, feature: u32, options: &[&str]) {
    let Some(Watched { outcome, suspects, .. }) = watched(target, feature, options) else { return };
    assert!(suspects.is_empty(), "{target} on {feature} {options:?}: {:#}\n{outcome}", suspects[0]);
}

fn all(feature: u32, options: &[&str]) {
    let mut options = options.to_vec();
    options.push(EXPLICIT);
    LEAKING.iter().for_each(|(target, method)| leaks(target, method, feature, &options));
    CLEAN.iter().for_each(|target| is_clean(target, feature, &options));
}

/// Each explicit collection is a concurrent cycle.
const CONCURRENT: &[&str] = &["-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent"];

#[test]
fn g1_on_11() {
    all(11, CONCURRENT);
}

#[test]
fn g1_on_17() {
    all(17, CONCURRENT);
}

#[test]
fn g1_on_21() {
    all(21, CONCURRENT);
}

#[test]
fn g1_on_25() {
    all(25, CONCURRENT);
}

#[test]
fn parallel_on_17() {
    all(17, &["-XX:+UseParallelGC"]);
}

#[test]
fn serial_on_21() {
    all(21, &["-XX:+UseSerialGC"]);
}

#[test]
fn zgc_on_17() {
    all(17, &["-XX:+UseZGC"]);
}

#[test]
fn generational_zgc_on_21() {
    all(21, &["-XX:+UseZGC", "-XX:+ZGenerational"]);
}

/// No collection is asked for.
const NATURAL: &[&str] = &[
    "-XX:+UseG1GC",
    "-XX:InitiatingHeapOccupancyPercent=1",
    "-XX:-G1UseAdaptiveIHOP",
    "-Xmn2m",
    "-Dcollect=0",
    "-Drequests=40000",
];

#[test]
fn collections_that_come_by_themselves() {
    leaks("SessionCache", "leaks.SessionCache.session", 17, NATURAL);
    is_clean("Bounded", 17, NATURAL);
}

#[test]
fn without_the_option_nothing_is_watched() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("unwatched", jvm.feature);
    let outcome = Run::target(&jvm, "leaks.Listeners").within(&scratch).option("-Drequests=100").agent("quiet").go();
    assert!(outcome.success() && outcome.counters().counter("abi.given") == 0, "{outcome}");
    let (status, _, err) = decode(outcome.log()).view_of("leaks", &[]);
    assert!(status == 1 && err.contains("no leak detector"), "{err}");
}
