//! A JVM that is process 1 of its own number space, as in a container: controlled from outside, and
//! its log named by its own number.
//!
//! Invariant: whoever sees the process from outside gives the number that he sees.
//! Source: docs/guide/production.md; pid_namespaces(7).

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use lucce_jvm_tests::{Jvm, Program, Run, Scratch, decode, place, until};

/// A new number space in which the command is process 1, with a file system of processes that says
/// so; it ends with us.
const UNSHARE: [&str; 6] = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];

/// Why this machine does not let us make such spaces and run that in them, if it does not. Within
/// some containers one may not.
pub fn obstacle(unshare: &[&str], tried: &[&str]) -> Option<String> {
    match Command::new(unshare[0]).args(&unshare[1..]).args(tried).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(format!("cannot run {}: {error}", unshare[0])),
    }
}

fn within(command: &Command, folder: &Path) -> Command {
    let mut outer = Command::new(UNSHARE[0]);
    outer.args(&UNSHARE[1..]).arg(command.get_program()).args(command.get_args());
    outer.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outer
}

/// The number that process 1 has out here: that of the one child.
pub fn number(outer: u32) -> Option<String> {
    let children = fs::read_to_string(format!("/proc/{outer}/task/{outer}/children")).ok()?;
    children.split_whitespace().next().map(str::to_owned)
}

fn ctl(process: &str, command: &str) -> Output {
    Command::new(&place().decode).args(["ctl", process, command]).output().expect("the decoder runs")
}

fn has_spaces() {
    if let Some(why) = obstacle(&UNSHARE, &["true"]) {
        panic!("no space of process numbers can be made here ({why}): leave this test out with `--skip container::`");
    }
}

#[test]
fn as_process_1_it_is_controlled_from_outside() {
    has_spaces();
    for jvm in Jvm::all() {
        let scratch = Scratch::new("container", jvm.feature);
        let options = format!("quiet,file={}", scratch.file("run-%p.log").display());
        let run = Run::hazard(&jvm, "Steady").within(&scratch).raw_agent(&options);
        let run = run.argument("1").argument("20").argument(scratch.file("end"));
        let program = Program::start(&mut within(&run.command(), scratch.path()));
        let answer = until("an answer", || {
            let answer = ctl(&number(program.id())?, "status");
            answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).into_owned())
        });
        assert!(answer.lines().any(|line| line.split_whitespace().eq(["pid", "1"])), "{answer}");
        let process = number(program.id()).expect("it runs");
        assert!(ctl(&process, "flush").status.success(), "on {}", jvm.feature);
        fs::write(scratch.file("end"), "").expect("written");
        let (status, _, complaints) = program.end();
        assert!(status.success() && complaints.is_empty(), "{status}: {complaints}");
        let log = scratch.file("run-1.log");
        let counters = decode(&log).counters();
        assert!(counters.complete() && counters.figure("events") > 0, "{counters}");
    }
}

/// As the guide has it for Kubernetes (docs/guide/install.md): the image and its command line stay
/// as they are.
#[test]
fn as_process_1_it_has_its_options_from_the_environment() {
    has_spaces();
    for jvm in [11, 25].into_iter().filter_map(Jvm::of) {
        let scratch = Scratch::new("tool-options", jvm.feature);
        let run = Run::hazard(&jvm, "Thrown").argument("30").within(&scratch);
        let (agent, log) = (place().agent.display(), scratch.file("run-%p.log"));
        let options = format!("-agentpath:{agent}=file={},exceptions,verify=1,quiet", log.display());
        let mut command = within(&run.command(), scratch.path());
        let (status, _, complaints) = Program::start(command.env("JAVA_TOOL_OPTIONS", options)).end();
        assert!(status.success() && complaints.starts_with("Picked up JAVA_TOOL_OPTIONS: "), "{status}: {complaints}");
        let counters = decode(&scratch.file("run-1.log")).counters();
        assert!(counters.complete() && counters.checks() > 0, "{counters}");
        assert_eq!((counters.mismatches(), counters.lost()), (0, 0), "{counters}");
    }
}
