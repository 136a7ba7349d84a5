//! `lucce-decode doctor --java`: does Lucce work in this JVM?
//!
//! Invariant: the answer is that of a real run, whose oracle has compared thousands of contexts.
//! Source: docs/guide/production.md.

use std::path::Path;
use std::process::Command;

use lucce_jvm_tests::{Jvm, Scratch, place};
use serde_json::Value;

/// Status and both outputs of the command, whose temporary files go to that folder.
fn doctor(folder: &Path, java: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(&place().decode);
    command.args(["doctor", "--java"]).arg(java).args(more).env("TMPDIR", folder);
    // It would load a second agent, and the job would end at once.
    command.env("JAVA_TOOL_OPTIONS", "-agentpath:/nonexistent/libother.so");
    let output = command.output().expect("the decoder starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn is_empty(folder: &Path) -> bool {
    folder.read_dir().expect("the folder").next().is_none()
}

#[test]
fn lucce_works_in_every_jvm_of_the_matrix_and_nothing_is_left_behind() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("doctor", jvm.feature);
        let agent = place().agent.display().to_string();
        let (status, out, err) = doctor(scratch.path(), &jvm.java, &["--agent", &agent, "--format", "json"]);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{}: {out}", jvm.feature);
        let report: Value = serde_json::from_str(&out).expect("one object");
        let java = &report["java"];
        assert!(java["feature"] == jvm.feature && java["ended"] == true && report["complete"] == true, "{report:#}");
        let printed = java["printed"].as_array().expect("lines").iter().filter_map(Value::as_str);
        let verified = printed.into_iter().find_map(|line| line.strip_prefix("lucce: verify: ")).unwrap_or_default();
        let checks: u64 = verified.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        assert!(checks > 1_000 && verified.contains(" 0 mismatches"), "{}: {report:#}", jvm.feature);
        assert!(is_empty(scratch.path()), "{}", jvm.feature);
    }
}

#[test]
fn a_home_will_do_and_the_agent_beside_the_decoder_is_found() {
    let jvm = Jvm::all().last().expect("there is a JVM");
    let scratch = Scratch::new("doctor-home", jvm.feature);
    let home = jvm.java.ancestors().nth(2).expect("bin/java lies in a home");
    let (status, out, err) = doctor(scratch.path(), home, &[]);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    let first = format!("{}: ", jvm.java.display());
    assert!(out.starts_with(&first) && out.contains(&format!(" (Java {})\n", jvm.feature)), "{out}");
    assert!(out.contains("\n    lucce: verify: ") && out.contains("\nnothing to change"), "{out}");
}

#[test]
fn what_is_no_jvm_or_no_agent_gets_one_line() {
    let jvm = Jvm::all().next().expect("there is a JVM");
    let scratch = Scratch::new("doctor-none", jvm.feature);
    let decoder = place().decode.display().to_string();
    for (java, agent, expected, line) in [
        (Path::new("/nonexistent/java"), None, 2, "no java at /nonexistent/java"),
        (Path::new("/bin/true"), None, 2, "/bin/true is no JVM"),
        (jvm.java.as_path(), Some("/nonexistent/liblucce.so"), 2, "no agent at /nonexistent/liblucce.so"),
        // It is there, and no library: the JVM says so.
        (jvm.java.as_path(), Some(decoder.as_str()), 1, "the agent does not work here"),
    ] {
        let more: Vec<&str> = agent.into_iter().flat_map(|agent| ["--agent", agent]).collect();
        let (status, out, err) = doctor(scratch.path(), java, &more);
        assert_eq!((status, out.as_str()), (Some(expected), ""), "{err}");
        assert!(err.contains(line) && err.lines().count() == 1, "{err}");
        assert!(is_empty(scratch.path()));
    }
}
