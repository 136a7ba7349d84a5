//! `lucce-decode diff` of real runs: exact counts of the same program are the same, and what one
//! line more allocates stands first.
//!
//! Invariant: nothing is filtered: every allocation and every counted call of both runs is
//! compared.
//! Source: docs/guide/decoder.md, "What changed".

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, place};
use serde_json::Value;

const SOURCE: &str = r#"
public final class Orders {
    static Object sink;

    public static void main(String[] args) {
        Runnable task = () -> {
            for (int order = 0; order < 3_000; order++) {
                handle(order);
            }
        };
        for (int round = 0; round < 10; round++) {
            task.run();
        }
    }

    static void handle(int order) {
        sink = new int[order % 7];
        if (order % 100 == 0) {
            try {
                throw new IllegalStateException();
            } catch (IllegalStateException thrown) {
                sink = thrown;
            }
        }
        price(order);
    }

    static void price(int order) {
        for (int item = 0; item < 3; item++) {
            sink = new StringBuilder();
            //ADDED
        }
    }
}
"#;
const LINE: u32 = 30;

/// Compiles the program into a folder of this name, with this statement in its loop.
fn compile(scratch: &Scratch, name: &str, statement: &str) -> PathBuf {
    let folder = scratch.file(name);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("Orders.java"), SOURCE.replace("//ADDED", statement).trim_start()).expect("a file");
    let mut javac = Command::new(place().jdk_program("javac"));
    let status = javac.args(["--release", "11", "-d", "."]).arg("Orders.java").current_dir(&folder).status();
    assert!(status.expect("javac runs").success());
    folder
}

/// A run of the program in a folder of its own.
fn run(jvm: &Jvm, name: &str, classes: &Path, mode: &[&str]) -> (Scratch, Outcome) {
    let scratch = Scratch::new(name, jvm.feature);
    let run = Run::new(jvm, "Orders", vec![classes.into()]).within(&scratch);
    let run = mode.iter().fold(run, |run, option| run.option(option));
    let outcome = run.agent("alloc=all,entries=Orders.*,exceptions,quiet").go();
    assert!(outcome.success(), "{outcome}");
    (scratch, outcome)
}

#[test]
fn the_same_program_differs_in_nothing_and_an_added_allocation_is_the_first_line() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("diff", jvm.feature);
        let plain = compile(&scratch, "plain", "");
        let added = compile(&scratch, "added", "sink = new long[4];");
        for mode in [&[][..], &["-Xint"], &["-XX:TieredStopAtLevel=1"]] {
            let (_one, first) = run(&jvm, "diff-first", &plain, mode);
            let (_two, second) = run(&jvm, "diff-second", &plain, mode);
            let (_three, third) = run(&jvm, "diff-third", &added, mode);
            let rules = ["--fail-on", "alloc.count>+0%", "--fail-on", "new:alloc", "--fail-on", "new:exception"];
            for join in [&[][..], &["--exact"]] {
                let arguments = [&["--format", "json"], join, &rules].concat();
                let (status, out, err) = decode(first.log()).diff(second.log(), &arguments);
                let report: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {err}"));
                let kinds = report["kinds"].as_array().expect("kinds");
                assert!(kinds.len() == 3 && status == 0, "on {} with {mode:?}: {out}", jvm.feature);
                for kind in kinds {
                    assert_eq!(kind["changes"], Value::Array(Vec::new()), "on {} with {mode:?}: {out}", jvm.feature);
                    assert!(kind["same"].as_u64() > Some(0) && kind["old"] == kind["new"], "{out}");
                }
            }
            let (status, out, _) = decode(first.log()).diff(third.log(), &rules);
            let line = format!("alloc of long[]: +4.1 MiB in +90 000 events, new at Orders.price(Orders.java:{LINE})");
            assert_eq!(
                (out.lines().next(), status),
                (Some(line.as_str()), 1),
                "on {} with {mode:?}: {out}",
                jvm.feature
            );
            assert!(out.contains("broken: alloc.count>+0%: by 1 context\n  alloc of long[]: +"), "{out}");
        }
    }
}
