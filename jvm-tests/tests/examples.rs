//! The examples of `examples/`: at most thirty lines each, built as their heads say, and run under the agent.
//!
//! Invariant: what they print is what the README promises of them.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use lucce_jvm_tests::{Jvm, Run, Scratch, place};

/// A file of `examples/`, at most thirty lines long.
fn example(path: &str) -> PathBuf {
    let file = place().source("../examples").join(path);
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    assert!(text.lines().count() <= 30, "{path} has {} lines", text.lines().count());
    file
}

/// Runs a compiler.
fn compile(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"));
    assert!(status.success(), "{command:?} fails");
}

/// A program of the JDK that the tests were compiled with.
fn jdk(program: &str) -> PathBuf {
    let home = env::var_os("LUCCE_JDK").expect("LUCCE_JDK is not set: run cargo xtask test");
    PathBuf::from(home).join("bin").join(program)
}

#[test]
fn the_java_example_says_where_each_order_came_from() {
    let Some(jvm) = Jvm::of(21) else { return };
    let scratch = Scratch::new("java-example", 21);
    let file = example("java/Orders.java");
    compile(
        Command::new(jdk("javac"))
            .args(["--release", "11", "-cp"])
            .arg(&place().api)
            .arg("-d")
            .arg(scratch.path())
            .arg(&file),
    );
    let class_path = vec![scratch.path().into(), place().api.clone()];
    let outcome = Run::new(&jvm, "Orders", class_path).within(&scratch).agent("quiet,verify=1").go();
    assert!(outcome.success(), "{outcome}");
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
