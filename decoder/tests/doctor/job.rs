//! What doctor says of a JVM: it runs a job under the agent, and never where Lucce does not work.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lucce_log::Record;

use super::BIN;
use super::runs::{bytes, count, program};

/// A command that prints these properties, as a java that is not at hand would, and then does
/// something else.
fn printing(name: &str, vm: &str, version: &str, specification: &str, then: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let lines = format!(
        "    java.specification.version = {specification}\n    java.vm.name = {vm}\n    java.vm.version = {version}"
    );
    let script = format!("#!/bin/sh\ncat >&2 <<'END'\nProperty settings:\n{lines}\nEND\n{then}\n");
    // By another process: a child of another test that begins meanwhile would hold the file open
    // for writing, and it could not be run.
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(&path).stdin(Stdio::piped());
    let mut shell = shell.spawn().expect("a shell");
    shell.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("written");
    assert!(shell.wait().expect("it ends").success());
    path
}

#[test]
fn a_job_that_ends_otherwise_or_writes_no_log_is_told() {
    let doctor = |java: &Path| {
        // Any file: it is looked for, and never loaded.
        let output = Command::new(BIN).args(["doctor", "--agent", BIN, "--java"]).arg(java).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let inert = printing("java-inert", "OpenJDK 64-Bit Server VM", "17.0.9+9", "17", "");
    let (_, errors) = doctor(&inert);
    assert!(
        errors.contains(" (OpenJDK 64-Bit Server VM 17.0.9+9): the agent does not work here (exit status: 0)"),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1, "{errors}");
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("job.log");
    // All start-up, so its slow paths are no finding.
    let mut program = program(3);
    count(&mut program, &[("stall.longest_ns", 250_000_000), ("stall.total_ns", 250_000_000)]);
    program.record(Record::End);
    std::fs::write(&log, bytes(&program, |_| {})).expect("a log");
    let then = format!("cp '{}' doctor.log; exit 3", log.display());
    let failing = printing("java-failing", "OpenJDK 64-Bit Server VM", "17.0.9+9", "17", &then);
    let (printed, _) = doctor(&failing);
    assert!(!printed.contains("stall"), "{printed}");
    assert!(
        printed.contains("\nchange  java --list-modules ended otherwise under the agent (exit status: 3)"),
        "{printed}"
    );
}

#[test]
fn a_jvm_that_lucce_does_not_support_gets_one_line_and_never_the_agent() {
    let old = printing("java-8", "OpenJDK 64-Bit Server VM", "25.402-b06", "1.8", "");
    let other = printing("java-j9", "Eclipse OpenJ9 VM", "openj9-0.43.0", "17", "");
    let nowhere = PathBuf::from("/nonexistent/java");
    for (java, status, line) in [
        (
            &old,
            1,
            format!(
                "{} is OpenJDK 64-Bit Server VM 25.402-b06 (Java 8): Lucce needs HotSpot 11 or newer",
                old.display()
            ),
        ),
        (&other, 1, format!("{} is Eclipse OpenJ9 VM, not HotSpot: Lucce needs HotSpot 11 or newer", other.display())),
        (&nowhere, 2, "no java at /nonexistent/java".into()),
        (&PathBuf::from("/bin/true"), 2, "/bin/true is no JVM: it does not say its java.vm.name".into()),
    ] {
        // Any file: it is looked for, and never loaded.
        let output = Command::new(BIN).args(["doctor", "--agent", BIN, "--java"]).arg(java).output().expect("it runs");
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("lucce-decode: {line}\n"));
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    let output = Command::new(BIN).args(["doctor", "--agent", "/nonexistent/liblucce.so", "--java"]).arg(&old).output();
    let errors = String::from_utf8(output.expect("it runs").stderr).expect("text");
    assert_eq!(errors, "lucce-decode: no agent at /nonexistent/liblucce.so: name it with --agent\n");
}
