//! `profile` and `hot` on real JVMs: each sample has the context that its method was entered in,
//! and no bound is wrong.
//!
//! Invariant: `profile=all` is `entries=*`, context for context; what is thinned is a part of it,
//! of the size that was asked for; and where counters are few, each context's true number lies
//! within the bounds that are printed. Source: docs/guide/profiles.md.

mod memory;

use std::collections::BTreeMap;
use std::path::Path;

use lucce_jvm_tests::{COMPARED, Jvm, Outcome, Run, Scratch, decode, turn};
use serde_json::Value;

/// Calls by context.
type Sums = BTreeMap<String, u64>;

/// A context as text: its frames with their places, and why it ends early.
fn context(of: &Value) -> String {
    let frame = |frame: &Value| ["class", "method", "desc", "bci"].map(|key| frame[key].to_string()).join(" ");
    let frames: Vec<String> = of["frames"].as_array().expect("frames").iter().map(frame).collect();
    format!("{} {}", frames.join(" < "), of["unknown"])
}

/// The log's numbers of a kind.
fn sums(log: &Path, kind: &str) -> Sums {
    let mut sums = Sums::new();
    for tally in decode(log).events().iter().filter(|event| event["kind"] == kind) {
        *sums.entry(context(tally)).or_default() += tally["count"].as_u64().expect("a number");
    }
    sums
}

fn run(jvm: &Jvm, target: &str, options: &str) -> (Scratch, Outcome) {
    let scratch = Scratch::new(&format!("profile-{target}"), jvm.feature);
    let outcome = Run::hazard(jvm, target).within(&scratch).agent(options).go();
    assert!(outcome.success(), "{target} fails on {}:\n{outcome}", jvm.feature);
    (scratch, outcome)
}

/// All entries of a target are samples of the same contexts, and none is wrong.
fn equal(jvm: &Jvm, target: &str, with: &str) {
    let (_scratch, outcome) = run(jvm, target, &format!("profile=all,entries=*,{with}"));
    let counters = outcome.verified();
    let (all, samples) = (sums(outcome.log(), "entry"), sums(outcome.log(), "profile"));
    let differ: Vec<_> = all.iter().filter(|(context, count)| samples.get(*context) != Some(count)).take(3).collect();
    assert!(all == samples, "{target} on {}: {differ:#?}", jvm.feature);
    let total: u64 = all.values().sum();
    let told = ["tally.profile", "profile.entries", "tally.profile.lost", "profile.replaced"];
    assert_eq!(told.map(|name| counters.counter(name)), [total, total, 0, 0], "{counters}");
    assert!(total > 10_000, "{total} entries only");
}

#[test]
fn a_profile_of_all_entries_is_their_number_context_for_context() {
    for jvm in Jvm::each(&COMPARED) {
        equal(&jvm, "Traced", "verify=10");
        equal(&jvm, "Counted", "verify=100");
    }
}

#[test]
fn it_is_so_on_virtual_threads() {
    if let Some(jvm) = Jvm::of(25) {
        equal(&jvm, "VirtualThreads", "verify=100");
    }
}

#[test]
fn it_is_so_where_classes_are_unloaded() {
    if let Some(jvm) = Jvm::of(17) {
        equal(&jvm, "Unloading", "verify=1");
    }
}

#[test]
fn it_is_so_where_words_are_hashed() {
    for (target, verify) in [("Traced", 10), ("Phases", 1), ("Counted", 100)] {
        for jvm in turn::of(target, &[11, 25]) {
            equal(&jvm, target, &format!("encoder=pcc,verify={verify}"));
        }
    }
    if let Some(jvm) = Jvm::of(25) {
        equal(&jvm, "VirtualThreads", "encoder=pcc,verify=100");
    }
    if let Some(jvm) = Jvm::of(17) {
        equal(&jvm, "Unloading", "encoder=pcc,verify=1");
    }
}

#[test]
fn with_the_jdks_own_classes_samples_are_exact_by_hashed_words() {
    for jvm in [17, 25].into_iter().filter_map(Jvm::of) {
        let (_scratch, outcome) = run(&jvm, "Traced", "profile=50,jdk=on,entries=hazards.*,verify=100");
        let counters = outcome.verified();
        assert!(counters.to_string().contains("\"pcc.learned\""), "another encoder: {counters}");
        assert_eq!(counters.counter("tally.profile.lost"), 0, "{counters}");
        let (all, samples) = (sums(outcome.log(), "entry"), sums(outcome.log(), "profile"));
        let (own, jdks): (Vec<_>, Vec<_>) = samples.iter().partition(|(context, _)| context.starts_with("\"hazards."));
        let wrong: Vec<_> = own.iter().filter(|(context, count)| all.get(*context) < Some(*count)).collect();
        assert!(wrong.is_empty() && own.len() > 40 && !jdks.is_empty(), "{} of the program: {wrong:#?}", own.len());
    }
}

/// All sampled entries of a target that does the same in each run.
fn samples_of(jvm: &Jvm, target: &str, options: &str) -> Sums {
    let (_scratch, outcome) = run(jvm, target, &format!("profile=all,{options}"));
    let counters = outcome.counters();
    let told = ["tally.profile.lost", "profile.replaced", "verify.mismatches"];
    assert_eq!(told.map(|name| counters.counter(name)), [0; 3], "{counters}");
    sums(outcome.log(), "profile")
}

#[test]
fn all_entries_are_sampled_without_another_option_those_of_leaves_too_by_each_encoder() {
    for (target, verify) in [("Traced", "verify=10"), ("Phases", "verify=1")] {
        for jvm in turn::of(target, &[11, 25]) {
            let (_exact, outcome) = run(&jvm, target, "entries=*");
            let all = sums(outcome.log(), "entry");
            for encoder in ["lucce", "cct", "pcc"] {
                let options = format!("encoder={encoder},{verify}");
                let samples = samples_of(&jvm, target, &options);
                let differ: Vec<_> =
                    all.iter().filter(|(context, count)| samples.get(*context) != Some(count)).collect();
                assert!(
                    all == samples,
                    "{target} with {options} on {}: {:#?}",
                    jvm.feature,
                    &differ[..differ.len().min(3)]
                );
            }
        }
    }
}

#[test]
fn the_program_asks_which_contexts_run_most_while_it_runs() {
    for jvm in Jvm::each(&[11, 25]) {
        let expected = "\
hot 10000 first:17 main:52
hot 10000 inner:22 first:17 main:52
hot 10000 inner:22 first:18 main:52
asked
hot 90000 second:26 main:54
asked
";
        let scratch = Scratch::new("profile-now", jvm.feature);
        let plain = Run::hazard(&jvm, "HotNow").within(&scratch).go();
        assert!(plain.success() && plain.stdout == "asked\nasked\n", "{plain}");
        for options in ["", ",encoder=pcc", ",encoder=cct", ",hot=0.001"] {
            let (_scratch, outcome) = run(&jvm, "HotNow", &format!("profile=all{options}"));
            assert_eq!(outcome.stdout, expected, "{options}\n{outcome}");
        }
        // What is estimated is checked by the program itself. Of the methods that it calls often
        // one has hooks.
        let (_scratch, outcome) = run(&jvm, "HotNow", "profile=97");
        let mut lines = outcome.stdout.lines();
        assert!(lines.any(|line| line.starts_with("hot ") && line.ends_with(" second:26 main:54")), "{outcome}");
        for options in ["profile=1ms", "profile=1ms/4ms"] {
            let (_scratch, outcome) = run(&jvm, "HotNow", options);
            assert!(outcome.stdout.ends_with("asked\n"), "{options}\n{outcome}");
        }
    }
}

#[test]
fn bursts_sample_all_entries_for_a_while_each_where_it_was() {
    for jvm in Jvm::each(&[11, 25]) {
        for encoder in ["lucce", "pcc"] {
            let options = format!("profile=10ms/20ms,entries=*,verify=100,encoder={encoder}");
            let (_scratch, outcome) = run(&jvm, "Traced", &options);
            let counters = outcome.verified();
            let (all, samples) = (sums(outcome.log(), "entry"), sums(outcome.log(), "profile"));
            let wrong: Vec<_> = samples.iter().filter(|(context, count)| all.get(*context) < Some(*count)).collect();
            assert!(wrong.is_empty() && !samples.is_empty(), "{wrong:#?}");
            assert_eq!(
                ["tally.profile.lost", "profile.entries"].map(|name| counters.counter(name)),
                [0; 2],
                "{counters}"
            );
            let (status, out, err) = decode(outcome.log()).view_of("hot", &["--phi", "0.02"]);
            assert!(status == 0 && out.contains("all entries of bursts"), "{out}{err}");
        }
    }
}

#[test]
fn a_thinned_profile_has_one_of_so_many_entries_each_where_it_was_by_each_encoder() {
    for jvm in Jvm::each(&[11, 25]) {
        for encoder in ["lucce", "pcc"] {
            let options = format!("profile=100,entries=*,verify=100,encoder={encoder}");
            let (_scratch, outcome) = run(&jvm, "Traced", &options);
            let counters = outcome.verified();
            let (all, samples) = (sums(outcome.log(), "entry"), sums(outcome.log(), "profile"));
            let (total, sampled): (u64, u64) = (all.values().sum(), samples.values().sum());
            // The shortest and the longest distance; the program has one thread that counts, the
            // JVM starts perhaps two more.
            assert!((total / 112 - 4..=total / 88 + 4).contains(&sampled), "{encoder}: {sampled} of {total}");
            let wrong: Vec<_> = samples.iter().filter(|(context, count)| all.get(*context) < Some(*count)).collect();
            assert!(wrong.is_empty(), "{encoder} on {}: {wrong:#?}", jvm.feature);
            let told = ["profile.entries", "tally.profile.lost"].map(|name| counters.counter(name));
            assert_eq!(told, [100 * sampled, 0], "{encoder}: {counters}");
            assert!(samples.len() > 40, "{encoder}: {samples:#?}");
        }
    }
}

/// What `hot` says of a log.
fn hot(log: &Path, phi: &str) -> Vec<Value> {
    let (status, out, err) = decode(log).view_of("hot", &["--format", "json", "--phi", phi]);
    assert_eq!(status, 0, "{err}");
    out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

/// The true number of each context lies within the bounds that are printed.
fn within_bounds(log: &Path, all: &Sums) {
    let rows = hot(log, "0");
    assert!(!rows.is_empty());
    for row in rows {
        let number = |key: &str| row[key].as_u64().expect("a number");
        let (low, high, truth) = (number("samples"), number("most_samples"), all[&context(&row)]);
        assert!(low <= truth && truth <= high, "{truth}: {row}");
    }
}

#[test]
fn few_counters_find_what_has_become_hot_and_bound_each_number() {
    for jvm in Jvm::each(&[11, 25]) {
        // Ten counters.
        let (_scratch, outcome) = run(&jvm, "Phases", "profile=all,hot=0.5,entries=*");
        let counters = outcome.counters();
        let all = sums(outcome.log(), "entry");
        let (total, replaced) = (all.values().sum::<u64>(), counters.counter("profile.replaced"));
        assert!(all.len() > 300 && replaced > 0, "{} contexts, {counters}", all.len());
        assert_eq!(counters.counter("tally.profile") + replaced, total, "{counters}");
        within_bounds(outcome.log(), &all);
        // The second phase has two contexts, each with most of what is left.
        let names: Vec<String> = hot(outcome.log(), "0.4")
            .iter()
            .filter(|row| row["verdict"] == "hot")
            .map(|row| row["frames"][0]["method"].as_str().unwrap_or("?").to_owned())
            .collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(names.iter().all(|name| ["hot", "leaf"].contains(&name.as_str())), "{names:?}");
    }
}

#[test]
fn a_profile_by_time_samples_entries_where_they_are_whether_methods_sleep_or_not() {
    for jvm in Jvm::each(&[11, 25]) {
        let (_exact, outcome) = run(&jvm, "Traced", "entries=*");
        let all = sums(outcome.log(), "entry");
        for hooks in ["demand", "all"] {
            let (_scratch, outcome) = run(&jvm, "Traced", &format!("profile=1ms,hooks={hooks}"));
            let counters = outcome.counters();
            let samples = sums(outcome.log(), "profile");
            let strange: Vec<_> = samples.keys().filter(|context| !all.contains_key(*context)).collect();
            assert!(strange.is_empty() && !samples.is_empty(), "{hooks} on {}: {strange:#?}", jvm.feature);
            let told = ["tally.profile.lost", "profile.entries"];
            assert_eq!(told.map(|name| counters.counter(name)), [0; 2], "{counters}");
            let (status, out, err) = decode(outcome.log()).view_of("hot", &["--phi", "0.02"]);
            assert!(status == 0 && out.contains("behind a tick"), "{out}{err}");
        }
    }
}

#[test]
fn a_profile_is_measured_against_the_exact_counts_of_its_own_run() {
    let Some(jvm) = Jvm::of(17) else { return };
    let measured = |options: &str| -> Value {
        let (_scratch, outcome) = run(&jvm, "Traced", options);
        let exact = outcome.log().to_str().expect("a path").to_owned();
        let (status, out, err) = decode(outcome.log()).view_of("compare", &[&exact, "--format", "json"]);
        assert_eq!(status, 0, "{err}");
        serde_json::from_str(&out).expect("an object")
    };
    let same = measured("profile=all,entries=*");
    let number = |of: &Value, key: &str| of[key].as_f64().expect("a number");
    assert_eq!(
        ["overlap", "covered", "rank_correlation"].map(|key| number(&same, key) > 0.999_999),
        [true; 3],
        "{same}"
    );
    assert_eq!(["greatest_error", "false_positives", "missing_hot"].map(|key| number(&same, key)), [0.0; 3], "{same}");
    let some = measured("profile=50,entries=*");
    assert!((0.8..1.0).contains(&number(&some, "overlap")), "{some}");
    // What is estimated itself is nothing to compare with.
    let (_scratch, outcome) = run(&jvm, "Traced", "profile=50");
    let log = outcome.log().to_str().expect("a path").to_owned();
    let (status, _, err) = decode(outcome.log()).view_of("compare", &[&log]);
    assert!(status == 1 && err.contains("entries=*"), "{err}");
}
