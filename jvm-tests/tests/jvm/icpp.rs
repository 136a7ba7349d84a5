//! `encoder=icpp` on real JVMs: words of names or sizes, which walks teach.
//!
//! Invariant: mixed words tell no wrong path. Sizes may; what is then ambiguous is found out by
//! walks, and walked from then on.
//! Source: docs/design/icpp.md.

use lucce_jvm_tests::{Jvm, MATRIX, Outcome, Run, Scratch, decode, option, place, turn};
use serde_json::Value;

use crate::pcc;

/// All sources whose events stand anywhere.
const MIXED: &str = "encoder=icpp,icpp=mixed,verify=1,alloc=16k,exceptions,locks,cpu=1ms";

/// Hazards whose every check is of a context that a walk would tell the same, each on one of these
/// JVMs.
fn right_on(features: &[u32], targets: &[&str]) {
    for target in targets {
        turn::of(target, features).for_each(|jvm| drop(pcc::run(&jvm, target, MIXED, |run| run)));
    }
}

fn right(targets: &[&str]) {
    right_on(&MATRIX, targets);
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
    right_on(&[21, 25], &["VirtualThreads"]);
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
    for jvm in turn::of("JniUpcalls", &MATRIX) {
        pcc::run(&jvm, "JniUpcalls", MIXED, |run| run.option(option("-Dupcalls=", place().upcalls())));
    }
}

/// A class that is redefined has other words from then on, and its old activations keep theirs.
#[test]
fn mixed_words_say_no_wrong_path_where_another_agent_retransforms() {
    for target in ["Retransform", "ManyIds"] {
        for jvm in turn::of(target, &MATRIX) {
            pcc::run(&jvm, target, MIXED, |run| run.option(place().other_agent("")));
        }
    }
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

/// Two paths have one word at one place. What is told there is walked each time, and right; what is
/// alone is looked up but at powers of two.
#[test]
fn an_ambiguous_word_is_walked() {
    turn::of("an ambiguous word", &MATRIX).for_each(|jvm| ambiguous(&jvm));
}

fn ambiguous(jvm: &Jvm) {
    let scratch = Scratch::new("icpp-ambiguous", jvm.feature);
    let outcome = orders(jvm, &scratch, "natural");
    let counters = outcome.counters();
    // The first of the lone path's uses finds nothing; of the nineteen that follow, the first,
    // second, fourth, eighth and sixteenth are due.
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
    for (weights, feature) in [("natural", 21), ("names", 11), ("mixed", 25)] {
        let Some(jvm) = Jvm::of(feature) else { continue };
        let scratch = Scratch::new(&format!("icpp-map-{weights}"), jvm.feature);
        let map = scratch.path().join("orders.map");
        let said = decode(orders(&jvm, &scratch, weights).log()).train(&map, &["--enough", "100"]);
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
        let decoded = decode(later.log()).by_map(&map);
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
            let map = scratch.path().join("map");
            decode(orders(&jvm, &scratch, weights).log()).train(&map, &[]);
            std::fs::read_to_string(map).expect("a map")
        });
        assert!(maps[0].lines().filter(|line| line.starts_with("c\t")).count() >= 9, "{}", maps[0]);
        assert_eq!(maps[0], maps[1], "{weights}");
    }
}

/// The paper's Figures 3 to 5. By kind of word, how many of the five paths share theirs with how
/// many: BAD and BED, which a larger frame tells apart; BAD and ABD, for which a call is to be
/// wrapped; and two that make the same calls in another order.
#[test]
fn figures_3_to_5() {
    let Some(jvm) = Jvm::of(17) else { return };
    let [learning, using] = ["icpp-figures", "icpp-figures-used"].map(|name| Scratch::new(name, jvm.feature));
    let run = |scratch: &Scratch, options: &str| {
        let run = ["BAD", "BED", "ABD", "ABAAD", "AABAD"].into_iter().fold(Run::hazard(&jvm, "Calls"), Run::argument);
        let outcome = run.within(scratch).plain().agent(&format!("encoder=icpp,{options}")).go();
        assert!(outcome.success(), "{outcome}");
        outcome
    };
    let map = using.path().join("calls.map");
    let trained = format!("icpp={}", map.display());
    let natural: &[(&[&str], &str, &str)] = &[
        (&["--enough", "0"], "icpp=natural", r#"{"2":2,"3":3}"#),
        (&["--enough", "100"], &trained, r#"{"1":1,"2":4}"#),
        (&["--enough", "100", "--wrap"], &trained, r#"{"1":3,"2":2}"#),
    ];
    for (weights, maps) in [
        ("natural", natural),
        ("names", &[(&[], "icpp=names", r#"{"1":3,"2":2}"#)]),
        ("mixed", &[(&[], "icpp=mixed", r#"{"1":5}"#)]),
    ] {
        let learned = run(&learning, &format!("icpp={weights}"));
        for (training, used, degrees) in maps {
            let said = decode(learned.log()).train(&map, training);
            let decoded = decode(run(&using, &format!("{used},walks=off")).log()).by_map(&map);
            let found = decoded["events"]["degrees"].to_string();
            assert_eq!(found, *degrees, "{weights} {training:?}: {said}\n{decoded}");
        }
    }
}
