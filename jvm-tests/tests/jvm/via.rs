//! The notes of frames without hooks: a trace with its notes names every frame of the JVM's own, in
//! its order.
//!
//! Invariant: so it is however the agent came to know a call: by its hooks, by a walk past methods
//! that sleep, or by a look that teaches a word.
//! Source: docs/FORMAT.md, record Via.

use lucce_jvm_tests::{Jvm, Run, Scratch, decode};
use serde_json::Value;

/// A frame that the JVM shows to agents, but not to the program
/// (`jdk.internal.vm.annotation.Hidden`).
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
    // By hooks; by walks, which wake nobody, or whoever they pass; by what the paper's algorithm
    // asks at each entry; by looks at the top of the stack, which teach words; by those and a walk
    // for each entry.
    for options in [
        "hooks=all",
        "wake=1000000",
        "wake=0",
        "encoder=algorithm1",
        "encoder=pcc",
        "encoder=pcc,verify=1",
        "encoder=icpp",
    ] {
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

/// A name without the numbers that differ from run to run: of hidden classes, of accessors that the
/// JDK makes.
fn lasting(name: &str) -> String {
    let mut parts = name.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    let all = parts.fold(first, |all, part| all + part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()));
    all.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// The events of a run in their order: frames with their places, each with its notes; and how many
/// notes there are.
fn noted(jvm: &Jvm, options: &str) -> (Vec<Vec<String>>, usize) {
    let scratch = Scratch::new("called-back", jvm.feature);
    let outcome = Run::hazard(jvm, "CalledBack").within(&scratch).agent(options).go();
    assert!(outcome.success() && outcome.counters().mismatches() == 0, "{outcome}");
    let mut events = decode(outcome.log()).events();
    events.sort_by_key(|event| event["value"].as_u64());
    assert_eq!(outcome.stdout, format!("{} events\n", events.len()), "{options}: {outcome}");
    let mut notes = 0;
    let mut frame = |frame: &Value| {
        let via: Vec<String> =
            frame["via"].as_array().into_iter().flatten().filter_map(Value::as_str).map(lasting).collect();
        notes += via.len();
        format!("{}.{}@{} via {via:?}", frame["class"], frame["method"], frame["bci"])
    };
    let frames = events.iter().map(|event| event["frames"].as_array().into_iter().flatten().map(&mut frame).collect());
    let frames = frames.collect();
    (frames, notes)
}

/// Words that are looked up and words that are learned come with the same notes.
fn whichever_words(feature: u32) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let (numbered, notes) = noted(&jvm, "encoder=lucce,hooks=all");
    assert!(numbered.len() > 300 && notes > 2 * numbered.len(), "{notes} notes of {} events", numbered.len());
    for options in ["encoder=pcc", "encoder=pcc,verify=1"] {
        let (hashed, _) = noted(&jvm, options);
        assert_eq!(hashed.len(), numbered.len(), "{options} on {feature}");
        for (at, (hashed, numbered)) in hashed.iter().zip(&numbered).enumerate() {
            assert_eq!(hashed, numbered, "event {} with {options} on {feature}", at + 1);
        }
    }
}

#[test]
fn whichever_words_a_run_has_on_11() {
    whichever_words(11);
}

#[test]
fn whichever_words_a_run_has_on_25() {
    whichever_words(25);
}
