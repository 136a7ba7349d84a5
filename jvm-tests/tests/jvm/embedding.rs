//! Other native agents ask Lucce: the example in C, and an agent in Rust that asks every function
//! in and out of its place.
//!
//! Invariant: what an agent captured and decoded is what the JVM's own walk saw at that moment.
//! Source: `embed/include/lucce.h`; docs/guide/native-agents.md.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;

use lucce_embed::raw;
use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, place};

/// Compiles a C file, every warning an error; but callbacks have the parameters that the JVM gives,
/// used or not.
pub fn compiled(source: &Path, target: PathBuf, options: &[&str]) -> PathBuf {
    let include = place().jdk.join("include");
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wno-unused-parameter", "-Werror", "-O1"])
        .args(options)
        .arg("-I")
        .arg(place().source("../embed/include"))
        .arg("-I")
        .arg(&include)
        .arg("-I")
        .arg(include.join("linux"))
        .arg(source)
        .arg("-o")
        .arg(&target)
        .output()
        .expect("Rust needs a C compiler to link with");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target
}

pub fn agentpath(library: &Path, options: &str) -> String {
    format!("-agentpath:{}{options}", library.display())
}

/// The example in C.
fn waits(scratch: &Scratch) -> PathBuf {
    compiled(&place().source("../examples/c/waits.c"), scratch.file("waits.so"), &["-shared", "-fPIC"])
}

/// How often the target expects each stack, and how often the agent has printed it.
fn sides(outcome: &Outcome) -> [BTreeMap<&str, u64>; 2] {
    let (mut expected, mut found) = (BTreeMap::new(), BTreeMap::new());
    for line in outcome.stdout.lines() {
        if let Some((times, stack)) = line.strip_prefix("expected ").and_then(|line| line.split_once(" times: ")) {
            *expected.entry(stack).or_default() += times.parse::<u64>().expect("a count");
        } else if let Some(stack) = line.strip_suffix(" waited") {
            *found.entry(stack).or_default() += 1;
        }
    }
    [expected, found]
}

#[test]
fn the_agent_in_c_prints_the_stacks_that_the_jvm_sees_on_whichever_side_of_lucce_it_stands() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("c-agent", jvm.feature);
        let other = agentpath(&waits(&scratch), "");
        for lucce_first in [true, false] {
            let (run, other) = (Run::hazard(&jvm, "Waiting").within(&scratch), &other);
            let run =
                if lucce_first { run.agent("verify=1").option(other) } else { run.option(other).agent("verify=1") };
            let outcome = run.go();
            assert!(outcome.success(), "{outcome}");
            let [expected, found] = sides(&outcome);
            assert_eq!(expected.len(), 7, "{outcome}");
            assert_eq!(expected, found, "on {} (Lucce first: {lucce_first})\n{outcome}", jvm.feature);
            let counters = outcome.verified();
            assert!(counters.counter("abi.captures") >= 21, "{counters}");
        }
    }
}

#[test]
fn without_lucce_an_agent_that_looks_for_it_does_no_harm() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("alone", jvm.feature);
    for agent in [waits(&scratch), place().rust_example()] {
        let outcome = Run::hazard(&jvm, "Waiting").within(&scratch).option(agentpath(&agent, "")).go();
        assert!(outcome.success() && outcome.stdout.lines().count() == 7, "{outcome}");
    }
}

/// Runs the agent that asks everything.
fn asked(jvm: &Jvm, agents: &str, options: &str) -> Outcome {
    let scratch = Scratch::new("abi", jvm.feature);
    let outcome = Run::hazard(jvm, "Struck")
        .within(&scratch)
        .agent(agents)
        .option(agentpath(&place().example("abi"), options))
        .go();
    assert!(outcome.success(), "{outcome}");
    outcome.verified();
    let events = decode(outcome.log()).events();
    let of = |kind: &str| events.iter().filter(|event| event["kind"] == kind).collect::<Vec<_>>();
    assert_eq!(of("nested").len(), 5, "{outcome}");
    assert_eq!((of("late").len(), of("stolen").len(), of("early").len()), (0, 0, 0), "{outcome}");
    if options.contains("exception") {
        assert!(of("closing").iter().all(|event| event["value"] == 7 && event["unknown"].is_null()), "{outcome}");
        let others = of("program:alloc");
        assert!(others.iter().all(|event| event["value"] == 43 && event["owner"] == "program"), "{outcome}");
        assert!(of("alloc").iter().all(|event| event["value"] != 43), "{outcome}");
        let (here, there): (Vec<_>, Vec<_>) = of("probe").into_iter().partition(|event| event["value"] == 42);
        assert_eq!(here.len(), there.len(), "{outcome}");
        assert!(here.len() > 5 && others.len() == here.len(), "{outcome}");
        for (here, there) in here.iter().zip(there) {
            assert_eq!(here["frames"], there["frames"], "one context logged in two ways");
            assert_eq!((&here["class"], &here["unknown"]), (&"probes.Probe".into(), &serde_json::Value::Null));
        }
    }
    outcome
}

#[test]
fn every_function_keeps_its_word_and_refuses_what_it_must() {
    for jvm in Jvm::all() {
        answers_are_right(&asked(&jvm, "verify=1,alloc=1k", "=exception"));
    }
}

#[test]
fn words_are_told_where_methods_sleep() {
    for jvm in Jvm::all() {
        let outcome = asked(&jvm, "verify=1,hooks=demand,wake=1000000", "=exception,asleep");
        answers_are_right(&outcome);
        for answer in ["a word of the current thread", "nothing of another thread"] {
            assert!(outcome.stdout.lines().any(|line| line == format!("abi: {answer}: ok")), "{answer}\n{outcome}");
        }
    }
}

#[test]
fn hot_contexts_are_told_while_the_program_runs() {
    for jvm in Jvm::each(&[11, 25]) {
        let outcome = asked(&jvm, "verify=1,profile=all", "=exception,profiled");
        answers_are_right(&outcome);
        assert!(outcome.stdout.lines().any(|line| line == "abi: hot contexts are decoded: ok"), "{outcome}");
    }
}

#[test]
fn hashed_words_are_told_of_any_thread_if_they_were_learned() {
    for jvm in Jvm::all() {
        let outcome = asked(&jvm, "verify=1,encoder=pcc", "=exception,hashed");
        answers_are_right(&outcome);
        for answer in ["a hashed word of the current thread", "a hashed word of another thread"] {
            assert!(outcome.stdout.lines().any(|line| line == format!("abi: {answer}: ok")), "{answer}\n{outcome}");
        }
    }
}

fn answers_are_right(outcome: &Outcome) {
    let lines: Vec<_> = outcome.stdout.lines().filter(|line| line.starts_with("abi: ")).collect();
    let wrong: Vec<_> = lines.iter().filter(|line| !line.ends_with("ok") && !line.ends_with("captures")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{outcome}");
    assert!(lines.len() > 35, "{outcome}");
}

#[test]
fn a_capture_at_any_bytecode_is_the_jvms_own_stack() {
    captures_at_any_bytecode("verify=1");
}

#[test]
fn a_capture_at_any_bytecode_is_the_jvms_own_stack_where_methods_sleep() {
    captures_at_any_bytecode("verify=1,hooks=demand,awake=*.*e");
    captures_at_any_bytecode("verify=1,hooks=demand,wake=0,awake=*.*e");
}

fn captures_at_any_bytecode(options: &str) {
    for jvm in Jvm::all() {
        let outcome = asked(&jvm, options, "=step,entry,exit,exception");
        let captures = outcome.stdout.lines().find_map(|line| line.strip_prefix("abi: ")?.strip_suffix(" captures"));
        let captures: u64 = captures.and_then(|count| count.parse().ok()).unwrap_or(0);
        assert!(captures > 2000, "{captures}\n{outcome}");
    }
}

/// An agent that asks for tables of all versions there could be, from its Agent_OnLoad, and says
/// which it gets.
const VERSIONS: &str = r#"
#include <jvmti.h>
#include <stdio.h>
#include "lucce.h"
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    const uint32_t versions[] = {0, LUCCE_VERSION, LUCCE_VERSION + 1, UINT32_MAX};
    for (int at = 0; at < 4; at++) {
        const struct lucce_api *lucce = lucce_find(versions[at]);
        if (lucce == NULL) printf("%u: NULL\n", versions[at]);
        else printf("%u: a table of %u\n", versions[at], lucce->version);
    }
    return JNI_OK;
}
"#;

#[test]
fn a_version_that_lucce_does_not_know_has_no_table() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("versions", jvm.feature);
    let source = scratch.file("versions.c");
    fs::write(&source, VERSIONS).expect("written");
    let other = agentpath(&compiled(&source, scratch.file("versions.so"), &["-shared", "-fPIC"]), "");
    let outcome = Run::hazard(&jvm, "Hello").within(&scratch).agent("quiet").option(other).go();
    assert!(outcome.success(), "{outcome}");
    let lines: Vec<_> = outcome.stdout.lines().collect();
    assert_eq!(lines, ["0: NULL", "1: a table of 1", "2: NULL", "4294967295: NULL", "hello"], "{outcome}");
}

#[test]
fn the_header_and_the_crate_lay_structs_out_alike() {
    let scratch = Scratch::new("layout", 0);
    let (mut lines, mut wanted) = (String::new(), String::new());
    macro_rules! laid_out {
        ($rust:ident, $c:literal, $($field:ident $name:literal),*) => {
            let size = size_of::<raw::$rust>();
            let _ = writeln!(lines, "printf(\"{0} %zu\\n\", sizeof(struct {0}));", $c);
            let _ = writeln!(wanted, "{} {size}", $c);
            $(
                let _ = writeln!(lines, "printf(\"{0}.{1} %zu\\n\", offsetof(struct {0}, {1}));", $c, $name);
                let _ = writeln!(wanted, "{}.{} {}", $c, $name, offset_of!(raw::$rust, $field));
            )*
        };
    }
    laid_out!(Frame, "lucce_frame", size "size", line "line", class_name "class_name", method "method", descriptor "descriptor",
        file "file", bci "bci", pad "pad");
    laid_out!(Event, "lucce_event", size "size", site "site", kind "kind", value "value", word "word", captured "captured",
        time_ns "time_ns", thread "thread", r#type "type", type_name "type_name", object "object");
    laid_out!(Consumer, "lucce_consumer", size "size", flags "flags", event "event", closing "closing", data "data");
    laid_out!(NewEvent, "lucce_new_event", size "size", pad "pad", kind "kind", value "value", captured "captured",
        type_name "type_name");
    laid_out!(Hot, "lucce_hot", size "size", is_hot "is_hot", captured "captured", samples "samples",
        most_samples "most_samples", low "low", high "high");
    laid_out!(Api, "lucce_api", size "size", version "version", run "run", context "context", capture "capture",
        decode "decode", decode_word "decode_word", log "log", add_consumer "add_consumer",
        remove_consumer "remove_consumer", statistics "statistics", hot "hot");
    let source = scratch.file("layout.c");
    let text = format!(
        "#define LUCCE_NO_FIND\n#include <stdio.h>\n#include \"lucce.h\"\nint main(void) {{\n{lines}return LUCCE_VERSION != {};\n}}\n",
        raw::VERSION
    );
    fs::write(&source, text).expect("written");
    let program = compiled(&source, scratch.file("layout"), &[]);
    let output = Command::new(program).output().expect("runs");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), wanted);
}
