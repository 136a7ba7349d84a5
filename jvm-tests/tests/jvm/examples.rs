//! The examples of `examples/`: at most thirty lines each, and run under the agent (that in C by
//! `jvm-tests/tests/jvm/embedding.rs`).
//!
//! Invariant: what they print is what the guide promises of them, and the log says the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, place};
use serde_json::Value;

/// A file of `examples/`.
fn example(path: &str) -> PathBuf {
    place().source("../examples").join(path)
}

#[test]
fn no_example_has_more_than_thirty_lines() {
    for path in ["java/Orders.java", "java/Hottest.java", "java/Waiting.java", "c/waits.c", "rust/allocations.rs"] {
        let text = fs::read_to_string(example(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(text.lines().count() <= 30, "{path} has {} lines", text.lines().count());
    }
}

/// Runs a compiler.
fn compile(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"));
    assert!(status.success(), "{command:?} fails");
}

/// Compiles and runs an example in Java.
fn ran(name: &str, options: &str) -> Option<(Scratch, Outcome)> {
    let jvm = Jvm::of(21)?;
    let scratch = Scratch::new(&format!("java-{name}"), 21);
    let file = example(&format!("java/{name}.java"));
    compile(
        Command::new(place().jdk_program("javac"))
            .args(["--release", "11", "-cp"])
            .arg(&place().api)
            .arg("-d")
            .arg(scratch.path())
            .arg(&file),
    );
    let class_path = vec![scratch.path().into(), place().api.clone()];
    let outcome = Run::new(&jvm, name, class_path).within(&scratch).agent(options).go();
    assert!(outcome.success(), "{outcome}");
    Some((scratch, outcome))
}

#[test]
fn the_java_example_of_a_profile_says_what_is_hot_while_it_works() {
    let Some((_scratch, outcome)) = ran("Hottest", "quiet,profile=7") else { return };
    // A call of `price` has nine of `tax`.
    for orders in ["10000", "20000"] {
        for method in ["tax is hot", "price is hot"] {
            assert!(outcome.stdout.contains(&format!("{orders} orders: {method}")), "{outcome}");
        }
    }
}

#[test]
fn the_java_example_says_where_each_order_came_from() {
    let Some((_scratch, outcome)) = ran("Orders", "quiet,verify=1") else { return };
    let frames: Vec<_> = outcome.stdout.lines().map(str::trim).collect();
    let expected = [
        "waiting since:",
        "Orders.place(Orders.java:10)",
        "Orders.fromShop(Orders.java:15)",
        "Orders.main(Orders.java:23)",
        "waiting since:",
        "Orders.place(Orders.java:10)",
        "Orders.fromPhone(Orders.java:19)",
        "Orders.main(Orders.java:24)",
    ];
    assert_eq!(frames, expected, "{outcome}");
    assert_eq!(outcome.verified().figure("events"), 2);
}

/// Bytes of sampled allocations by context: bytecode indices, and frames as the example prints
/// them. What is uninstrumented above the innermost instrumented frame is in the log, and no part
/// of a context.
fn allocated(log: &Path) -> BTreeMap<(Vec<u64>, Vec<String>), u64> {
    let mut bytes = BTreeMap::new();
    for event in decode(log).events().iter().filter(|event| event["kind"] == "alloc") {
        let frames = event["frames"].as_array().expect("a list").iter().filter(|frame| frame["walked"] != true);
        let text = |of: &Value| of.as_str().expect("a text").to_string();
        let number = |of: &Value| of.as_u64().unwrap_or(0);
        let line = |frame: &Value| {
            format!("    at {}.{}:{}", text(&frame["class"]), text(&frame["method"]), number(&frame["line"]))
        };
        let context = frames.map(|frame| (number(&frame["bci"]), line(frame))).unzip();
        *bytes.entry(context).or_default() += number(&event["value"]);
    }
    bytes
}

#[test]
fn the_rust_example_names_the_stack_that_the_log_says_has_allocated_most() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("rust-example", jvm.feature);
        let agent = format!("-agentpath:{}", place().rust_example().display());
        // The program is short: it would never fill the first buffer that the serial collector
        // gives a thread.
        let run = Run::hazard(&jvm, "Thrown").within(&scratch).agent("verify=1,alloc=1k");
        let run = run.option(agent).option("-XX:+UseG1GC");
        let outcome = run.go();
        assert!(outcome.success(), "{outcome}");
        outcome.verified();
        let bytes = allocated(outcome.log());
        let most = bytes.values().max().expect("something was allocated");
        let head = format!("{most} of {} sampled bytes:", bytes.values().sum::<u64>());
        let printed: Vec<_> = outcome.stdout.lines().skip_while(|line| **line != head).map(String::from).collect();
        assert!(printed.len() > 1, "no {head}\n{outcome}");
        assert!(bytes.iter().any(|((_, frames), bytes)| bytes == most && *frames == printed[1..]), "{outcome}");
    }
}
