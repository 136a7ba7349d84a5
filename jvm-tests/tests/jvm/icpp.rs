//! `encoder=icpp` on real JVMs: words of names or sizes, which walks teach.
//!
//! Invariant: mixed words tell no wrong path. Sizes may; what is then ambiguous is found out by walks, and walked from then on.
//! Source: docs/design/icpp.md.

use std::path::Path;

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, option, place};
use serde_json::Value;

use crate::pcc;

/// All sources whose events stand anywhere.
const MIXED: &str = "encoder=icpp,icpp=mixed,verify=1,alloc=16k,exceptions,locks,cpu=1ms";

/// Hazards whose every check is of a context that a walk would tell the same.
fn right(targets: &[&str]) {
    let Some(jvm) = Jvm::of(17) else { return };
    for target in targets {
        pcc::run(&jvm, target, MIXED, |run| run);
    }
}

#[test]
fn mixed_words_say_no_wrong_path_in_recursion_and_behind_exceptions() {
    right(&["Recursion", "ExceptionUnwind", "ConstructorThrows", "FailingSupers", "EarlyReturns"]);
}

#[test]
fn mixed_words_say_no_wrong_path_below_what_the_jvm_calls() {
    right(&["StaticInit", "StaticInterposer", "Loaders", "Condy", "Callbacks", "Reflection", "Handles", "Cleaning"]);
}

#[test]
fn mixed_words_say_no_wrong_path_in_threads() {
    right(&["Races", "ThreadPools", "ThreadBases", "ParallelStreams"]);
}

#[test]
fn mixed_words_say_no_wrong_path_in_odd_classes() {
    right(&[
        "OldClasses",
        "FarLocals",
        "WideNames",
        "AnonymousClasses",
        "Unloading",
        "TwoLoaders",
        "Delegation",
        "Members",
    ]);
}

#[test]
fn mixed_words_say_no_wrong_path_where_native_code_calls() {
    let Some(jvm) = Jvm::of(17) else { return };
    pcc::run(&jvm, "JniUpcalls", MIXED, |run| run.option(option("-Dupcalls=", place().upcalls())));
}

/// Times that `Orders` takes each of its three paths.
const TIMES: u64 = 20;

fn orders(jvm: &Jvm, scratch: &Scratch, weights: &str) -> Outcome {
    let options = format!("encoder=icpp,icpp={weights},{EXCLUDED}");
    let outcome = Run::hazard(jvm, "Orders").within(scratch).argument(TIMES.to_string()).agent(&options).go();
    assert!(outcome.success(), "{outcome}");
    outcome
}

const EXCLUDED: &str = "exclude=hazards.plain.*";

/// A map of what a run has learned: its text, and what the search says.
fn train(log: &Path, map: &Path, options: &[&str]) -> (String, Value) {
    let output = map.to_str().expect("a path in UTF-8");
    let arguments = [&["-o", output, "--format", "json"], options].concat();
    let trained = std::process::Command::new(&place().decode).args(["icpp", "train"]).arg(log).args(arguments).output();
    let trained = trained.expect("the decoder runs");
    assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    let said = serde_json::from_slice(&trained.stdout).expect("the decoder prints JSON");
    (std::fs::read_to_string(map).expect("a map"), said)
}

/// Two paths have one word at one place. What is told there is walked each time, and right; what is alone is looked up but at powers of two.
#[test]
fn an_ambiguous_word_is_walked() {
    let Some(jvm) = Jvm::of(17) else { return };
    let scratch = Scratch::new("icpp-ambiguous", jvm.feature);
    let outcome = orders(&jvm, &scratch, "natural");
    let counters = outcome.counters();
    // The first of the lone path's uses finds nothing; of the nineteen that follow, the first, second, fourth, eighth and sixteenth are due.
    let alone = 1 + 5;
    let figures = ["icpp.ambiguous", "icpp.walked", "icpp.found"].map(|name| counters.counter(name));
    assert_eq!(figures, [1, 2 * TIMES + alone, TIMES - alone], "{counters}");
    let events = decode(outcome.log()).events();
    let of = |first: &str| {
        let callers = |event: &&Value| event["frames"][3]["method"] == first && event["unknown"].is_null();
        events.iter().filter(|event| event["kind"] == "order").filter(callers).count() as u64
    };
    assert_eq!([of("first"), of("second")], [TIMES; 2]);
}

/// Sizes are resized until they tell all paths, and a run with them needs no walk.
#[test]
fn a_map_of_one_run_decodes_the_log_of_another() {
    let Some(jvm) = Jvm::of(17) else { return };
    for weights in ["natural", "names", "mixed"] {
        let scratch = Scratch::new(&format!("icpp-map-{weights}"), jvm.feature);
        let map = scratch.path().join("orders.map");
        let (_, said) = train(orders(&jvm, &scratch, weights).log(), &map, &["--enough", "100"]);
        assert_eq!(said["by_sites"]["after"]["ambiguous"], 0, "{said}");
        let used = if weights == "natural" {
            assert!(said["by_sites"]["before"]["ambiguous"] != 0 && said["resized"] != 0, "{said}");
            map.to_str().expect("a path in UTF-8")
        } else {
            weights
        };
        let scratch = Scratch::new(&format!("icpp-later-{weights}"), jvm.feature);
        let later = orders(&jvm, &scratch, &format!("{used},walks=off"));
        let counters = later.counters();
        let walks = ["slow.event_walks", "icpp.walked", "icpp.found", "contexts.captured"];
        assert_eq!(walks.map(|name| counters.counter(name)), [0; 4], "{counters}");
        let bare = decode(later.log()).events();
        assert!(
            bare.iter().all(|event| event["unknown"].as_str().is_some_and(|why| why.contains("--map"))),
            "{bare:?}"
        );
        let (status, out, err) = decode(later.log()).view(&["--format", "json", "--map", map.to_str().expect("UTF-8")]);
        assert_eq!(status, 0, "{err}");
        let decoded: Value = serde_json::from_str(&out).expect("an object");
        let events = &decoded["events"];
        assert_eq!([&events["precise"], &events["ambiguous"], &events["missing"]], [3 * TIMES, 0, 0], "{decoded}");
        assert!(events["incorrect"].is_null(), "{decoded}");
        let words = decoded["words"].as_array().expect("words");
        let callers: Vec<_> =
            words.iter().map(|word| word["contexts"][0][3]["method"].as_str().unwrap_or("")).collect();
        assert_eq!(words.len(), 3, "{decoded}");
        assert!(callers.contains(&"first") && callers.contains(&"second"), "{decoded}");
    }
}

#[test]
fn words_are_the_same_in_two_runs() {
    let Some(jvm) = Jvm::of(17) else { return };
    for weights in ["natural", "names", "mixed"] {
        let maps = [1, 2].map(|run| {
            let scratch = Scratch::new(&format!("icpp-{weights}-{run}"), jvm.feature);
            train(orders(&jvm, &scratch, weights).log(), &scratch.path().join("map"), &[]).0
        });
        assert!(maps[0].lines().filter(|line| line.starts_with("c\t")).count() >= 9, "{}", maps[0]);
        assert_eq!(maps[0], maps[1], "{weights}");
    }
}
