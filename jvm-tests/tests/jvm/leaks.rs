//! The leak detector on small services: five that leak, two that do not, under each collector.
//!
//! Invariant: what leaks is the first suspect, what does not is none at the end, and no object is
//! kept alive for being watched. A cache is suspected while it fills, if collections come so fast
//! that this takes more than six of them, and withdrawn when it is full.
//! Source: docs/guide/leaks.md.

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, turn};
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
    if let Some(still) = suspects.iter().find(|suspect| suspect["withdrawn_ns"].is_null()) {
        panic!("{target} on {feature} {options:?}: {still:#}\n{outcome}");
    }
}

/// Every service.
fn all(feature: u32, options: &[&str]) {
    let options = [options, &[EXPLICIT]].concat();
    LEAKING.iter().for_each(|(target, method)| leaks(target, method, feature, &options));
    CLEAN.iter().for_each(|target| is_clean(target, feature, &options));
}

/// One that leaks and one that does not; in a whole run every service.
fn one_of_each(feature: u32, options: &[&str]) {
    if turn::is_whole() {
        return all(feature, options);
    }
    let options = [options, &[EXPLICIT]].concat();
    let (target, method) = LEAKING[1];
    leaks(target, method, feature, &options);
    is_clean(CLEAN[0], feature, &options);
}

/// Each explicit collection is a concurrent cycle.
const CONCURRENT: &[&str] = &["-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent"];
const PARALLEL: &[&str] = &["-XX:+UseParallelGC"];
const SERIAL: &[&str] = &["-XX:+UseSerialGC"];
const ZGC: &[&str] = &["-XX:+UseZGC"];

macro_rules! collectors {
    ($($test:ident: $services:ident, $feature:literal $options:expr;)*) => { $(
        #[test]
        fn $test() {
            $services($feature, $options);
        }
    )* };
}

// Each collector has every service on one JVM at least.
collectors! {
    g1_on_11: all, 11 CONCURRENT;
    g1_on_17: one_of_each, 17 CONCURRENT;
    g1_on_21: one_of_each, 21 CONCURRENT;
    g1_on_25: all, 25 CONCURRENT;
    parallel_on_11: one_of_each, 11 PARALLEL;
    parallel_on_17: all, 17 PARALLEL;
    parallel_on_21: one_of_each, 21 PARALLEL;
    parallel_on_25: one_of_each, 25 PARALLEL;
    serial_on_11: one_of_each, 11 SERIAL;
    serial_on_17: one_of_each, 17 SERIAL;
    serial_on_21: all, 21 SERIAL;
    serial_on_25: one_of_each, 25 SERIAL;
    zgc_on_11: one_of_each, 11 &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"];
    zgc_on_17: all, 17 ZGC;
    zgc_on_21: one_of_each, 21 ZGC;
    generational_zgc_on_21: all, 21 &["-XX:+UseZGC", "-XX:+ZGenerational"];
    // It has no other.
    generational_zgc_on_25: one_of_each, 25 ZGC;
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

/// What the detector holds, as docs/guide/leaks.md says: weak references to so many objects (`MOST`
/// in `leaks/src/samples.rs`).
const MOST: u64 = 16_384;
/// More that others hold: the JDK, and one for each thread that allocates at the moment when the
/// table is full.
const OTHERS: u64 = 100;

/// Several times as many objects live as the detector keeps: it holds no more, and its suspect and
/// its estimate are right.
fn bounded(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("Flood", feature);
    let run = Run::target(&jvm, "leaks.Flood").within(&scratch).option("-Xmx128m").option("-Drequests=6000");
    let outcome = run.option("-Dcollect=300").agent("leaks=16").go();
    assert!(outcome.success(), "{outcome}");
    let counters = outcome.counters();
    assert!(counters.complete() && counters.counter("panics") == 0, "{counters}");
    let said = outcome.stdout.lines().last().expect("a last line");
    let [kept, held] = said.split(" objects were kept, weak references at most ").collect::<Vec<_>>()[..] else {
        panic!("{outcome}")
    };
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (kept, held) = (number(kept), number(held));
    assert!(kept > 8 * MOST && (MOST / 2..MOST + OTHERS).contains(&held), "{said}");

    let (_, out, _) = decode(outcome.log()).view_of("leaks", &["--format", "json", "--top", "1"]);
    let first: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("no suspect\n{outcome}"));
    let frame = &first["frames"][0];
    assert!(
        frame["class"] == "leaks.Flood" && frame["method"] == "row" && first["withdrawn_ns"].is_null(),
        "{first:#}"
    );
    let objects = first["objects"].as_u64().expect("a number");
    println!("on {feature} {kept} objects, {held} weak references, {objects} estimated");
    assert!(objects.abs_diff(kept) < kept / 5, "{objects} estimated, {said}");
}

#[test]
fn more_objects_than_are_watched_are_known_by_a_sample_on_11() {
    bounded(11);
}

#[test]
fn more_objects_than_are_watched_are_known_by_a_sample_on_25() {
    bounded(25);
}
