//! `alloc=all` and `entries` on real JVMs: the log's sums are the program's own counts, to the last
//! one and the last byte.
//!
//! Invariant: what the target prints is all that it has counted, so the log has no context more and
//! none less; and no check differs. So it is with hashed words, which such a run has, and with
//! numbered ones.
//! Source: docs/guide/event-sources.md.

use std::collections::BTreeMap;

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, is_of_jdk};
use serde_json::Value;

const COUNTED: &str = "alloc=all,entries=hazards.Counted.makeHot*";

/// Number and bytes by kind, class and methods, outermost first.
type Sums = BTreeMap<String, (u64, u64)>;

/// What the target says it has done.
fn expected(outcome: &Outcome) -> Sums {
    let line = |line: &str| {
        let (rest, bytes) = line.rsplit_once(' ')?;
        let (key, count) = rest.rsplit_once(' ')?;
        Some((key.to_owned(), (count.parse().ok()?, bytes.parse().ok()?)))
    };
    outcome.stdout.lines().map(|text| line(text).unwrap_or_else(|| panic!("{text}\n{outcome}"))).collect()
}

/// The log's sums of contexts that lead through a method named `make...`.
fn logged(outcome: &Outcome) -> Sums {
    logged_in(outcome, |_| true, |_| true)
}

/// Is it a frame of the target, and not of the JDK?
fn is_own(frame: &Value) -> bool {
    frame["class"].as_str().is_some_and(|class| !is_of_jdk(class))
}

/// [`logged`], of the `wanted` contexts (frames from the innermost on), with those frames that are
/// `shown`.
fn logged_in(outcome: &Outcome, wanted: impl Fn(&[Value]) -> bool, shown: impl Fn(&Value) -> bool) -> Sums {
    let mut sums = Sums::new();
    for tally in decode(outcome.log()).events().iter().filter(|event| event["seq"].is_null()) {
        assert!(tally["unknown"].is_null(), "{tally}");
        let frames = tally["frames"].as_array().expect("frames");
        if !wanted(frames) {
            continue;
        }
        let frames = frames.iter().filter(|frame| shown(frame));
        let methods: Vec<_> = frames.rev().filter_map(|frame| frame["method"].as_str()).collect();
        // What the target needs to keep its own books is not in them.
        if methods.iter().any(|method| method.starts_with("make")) && !methods.contains(&"expect") {
            let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let key = format!("{} {} {}", text(&tally["kind"]), text(&tally["class"]), methods.join(">"));
            let sum = sums.entry(key).or_default();
            sum.0 += tally["count"].as_u64().expect("a number");
            sum.1 += tally["value"].as_u64().expect("a number");
        }
    }
    sums
}

fn counts(jvm: &Jvm, java: &[&str], arguments: &[&str], options: &str) -> (Scratch, Outcome) {
    counts_of(jvm, java, arguments, options, logged)
}

/// [`counts`], with that reading of the log.
fn counts_of(
    jvm: &Jvm,
    java: &[&str],
    arguments: &[&str],
    options: &str,
    logged: impl Fn(&Outcome) -> Sums,
) -> (Scratch, Outcome) {
    let scratch = Scratch::new("tallies", jvm.feature);
    let run = java.iter().fold(Run::hazard(jvm, "Counted").within(&scratch), |run, option| run.option(option));
    let run = arguments.iter().fold(run, |run, argument| run.argument(argument));
    let outcome = run.agent(&format!("{COUNTED},{options}")).go();
    assert!(outcome.success(), "it fails on {}:\n{outcome}", jvm.feature);
    let (expected, logged) = (expected(&outcome), logged(&outcome));
    assert!(expected.len() > 30, "{outcome}");
    let differ = |one: &Sums, other: &Sums| -> Vec<String> {
        let lines = one.iter().filter(|(key, sum)| other.get(*key) != Some(*sum));
        lines.map(|(key, sum)| format!("{key}: {sum:?}")).collect()
    };
    let (missing, wrong) = (differ(&expected, &logged), differ(&logged, &expected));
    assert!(missing.is_empty() && wrong.is_empty(), "on {}: expected {missing:#?}, logged {wrong:#?}", jvm.feature);
    (scratch, outcome)
}

#[test]
fn every_allocation_and_invocation_is_counted_where_it_was_made() {
    for jvm in Jvm::all() {
        drop(counts(&jvm, &[], &[], "verify=1000"));
        let (_scratch, outcome) = counts(&jvm, &[], &[], "verify=1000,encoder=lucce");
        let counters = outcome.verified();
        assert_eq!((counters.counter("tally.alloc.lost"), counters.counter("tally.entry.lost")), (0, 0), "{counters}");
        assert!(counters.complete() && counters.counter("panics") == 0, "{counters}");
        // The counters and the sums are two ways to the same number.
        let all = counters.counter("tally.alloc") + counters.counter("tally.entry");
        assert_eq!(counters.counter("slow.event_walks"), 0, "counts are walked for\n{counters}");
        assert_eq!(counters.figure("events"), all, "{counters}");
    }
}

#[test]
fn it_counts_the_same_with_hooks_in_the_jdk() {
    for jvm in Jvm::each(&[11, 25]) {
        let (_scratch, outcome) = counts_of(&jvm, &[], &[], "jdk=on,verify=1000", |outcome| {
            logged_in(outcome, |frames| frames.first().is_some_and(is_own), is_own)
        });
        outcome.verified();
    }
}

#[test]
fn the_jdks_own_allocations_and_invocations_are_counted() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("tallies-jdk", jvm.feature);
        let run = Run::hazard(&jvm, "CountedJdk").within(&scratch);
        let outcome =
            run.agent("jdk=on,alloc=all,entries=java.util.ArrayList.add:java.lang.Integer.valueOf,verify=1000").go();
        assert!(outcome.success(), "{outcome}");
        let expected = expected(&outcome);
        let mut logged = logged_in(&outcome, |_| true, |_| true);
        let boxes = logged.keys().find(|key| key.contains("makeBoxes>valueOf"));
        assert_eq!(boxes, None, "on {}", jvm.feature);
        logged.retain(|key, _| expected.contains_key(key));
        assert_eq!(expected, logged, "on {}", jvm.feature);
        let counters = outcome.verified();
        assert!(counters.complete() && counters.counter("panics") == 0, "{counters}");
    }
}

#[test]
fn compiled_at_once_it_counts_the_same() {
    for (feature, compiler, options) in [
        (17, "-XX:TieredStopAtLevel=1", "quiet"),
        (17, "-XX:TieredStopAtLevel=1", "encoder=lucce"),
        (25, "-XX:-TieredCompilation", "quiet"),
        (25, "-XX:-TieredCompilation", "encoder=lucce"),
    ] {
        let Some(jvm) = Jvm::of(feature) else { return };
        counts(
            &jvm,
            &["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileOnly=hazards.Counted", compiler],
            &[],
            options,
        );
    }
}

#[test]
fn sizes_are_those_of_the_layout_that_the_jvm_has() {
    for jvm in Jvm::all() {
        let wide = ["-XX:ObjectAlignmentInBytes=32"];
        counts(&jvm, &wide, &["12", "16", "32"], "quiet");
        if jvm.feature >= 25 {
            counts(&jvm, &["-XX:+UseCompactObjectHeaders"], &["8", "12", "8"], "quiet");
        }
    }
}

#[test]
fn the_program_gets_the_sums_that_the_log_has() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("own-sums", jvm.feature);
        let run = || Run::hazard(&jvm, "OwnSums").within(&scratch);
        let plain = run().go();
        assert!(plain.success() && plain.stdout.is_empty(), "{plain}");
        let encoder = if jvm.feature == 11 { "lucce" } else { "auto" };
        let options = format!("encoder={encoder},alloc=all,entries=hazards.OwnSums.make*,verify=1000");
        let outcome = run().agent(&options).go();
        assert!(outcome.success(), "{outcome}");
        let (own, logged) = (expected(&outcome), logged(&outcome));
        assert_eq!(own, logged, "on {}", jvm.feature);
        let of = |key: &str| own.get(key).map(|sum| sum.0);
        assert_eq!(of("entry - main>makeAll"), Some(3), "{own:?}");
        assert_eq!(of("entry - main>makeAll>makeHot>makeHot>makeHot"), Some(1_500), "{own:?}");
        assert_eq!(of("alloc java.lang.String[] main>makeAll"), Some(6_000), "{own:?}");
        assert_eq!(of("alloc java.lang.String[][] main>makeAll"), Some(3_000), "{own:?}");
        let counters = outcome.verified();
        assert!(counters.complete() && counters.counter("panics") == 0, "{counters}");
    }
}
