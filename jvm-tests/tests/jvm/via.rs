//! The notes of frames without hooks: a trace with its notes names every frame of the JVM's own, in its order.
//!
//! Invariant: so it is however the agent came to know a call: by its hooks, or by a walk past methods that sleep.
//! Source: docs/FORMAT.md, record Via.

use lucce_jvm_tests::{Jvm, Run, Scratch, decode};
use serde_json::Value;

/// A frame that the JVM shows to agents, but not to the program (`jdk.internal.vm.annotation.Hidden`).
const HIDDEN: &str = "java.lang.Thread.runWith";

/// Number and frames, notes in their places.
fn line(event: &Value) -> String {
    let mut words = vec![event["value"].to_string()];
    for frame in event["frames"].as_array().into_iter().flatten() {
        words.push(format!(
            "{}.{}",
            frame["class"].as_str().expect("a class"),
            frame["method"].as_str().expect("a name")
        ));
        let notes = frame["via"].as_array().into_iter().flatten().filter_map(Value::as_str);
        words.extend(notes.filter(|&name| name != HIDDEN).map(str::to_owned));
    }
    words.join(" ")
}

fn check(feature: u32, options: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("via", feature);
    let outcome = Run::hazard(&jvm, "Between").within(&scratch).agent(options).go();
    assert!(outcome.success(), "{outcome}");
    let expected: Vec<&str> = outcome.stdout.lines().collect();
    let mut events = decode(outcome.log()).events();
    events.sort_by_key(|event| event["value"].as_u64());
    assert!(expected.len() > 20 && events.len() == expected.len(), "{outcome}");
    for (event, expected) in events.iter().zip(expected) {
        assert_eq!(line(event), expected, "{options} on {feature}");
    }
}

fn however_a_call_is_found(feature: u32) {
    // By hooks; by walks, which wake nobody, or whoever they pass; by what the paper's algorithm asks at each entry.
    for options in ["hooks=all", "wake=1000000", "wake=0", "encoder=algorithm1"] {
        check(feature, options);
    }
}

#[test]
fn however_a_call_is_found_on_11() {
    however_a_call_is_found(11);
}

#[test]
fn however_a_call_is_found_on_17() {
    however_a_call_is_found(17);
}

#[test]
fn however_a_call_is_found_on_21() {
    however_a_call_is_found(21);
}

#[test]
fn however_a_call_is_found_on_25() {
    however_a_call_is_found(25);
}
