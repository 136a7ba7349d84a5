//! Who may attach: the JVM's own user and root, nobody else, and to a JVM alone.
//!
//! Invariant: who is refused has changed nothing: no signal was sent. What root makes beside
//! another user's JVM is that user's, and goes again.
//! Source: credentials(7).

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use lucce_jvm_tests::{Jvm, Scratch, place};

use super::running::{self, Running, attach, said};
use super::{agree, stacks, whole};

/// The user and the group that own nothing.
const OTHER: u32 = 65534;

#[test]
fn another_user_and_a_process_that_is_no_jvm_get_no_signal() {
    let Some(jvm) = Jvm::of(17) else { return };
    let running = Running::hazard("users", &jvm, &[]);
    let mut sleeper = Command::new("sleep").arg("60").spawn().expect("it starts");
    let (status, line) = said(&attach(&sleeper.id().to_string(), "").output().expect("the decoder runs"));
    assert_eq!((status, line.ends_with("is no HotSpot JVM")), (2, true), "{line}");
    assert_eq!(sleeper.try_wait().expect("it can be asked"), None, "it was ended");
    sleeper.kill().and_then(|()| sleeper.wait()).expect("it ends");
    // A program that others can run.
    let decode = running.scratch.file("decode");
    fs::copy(&place().decode, &decode).expect("copied");
    let mut command = Command::new(&decode);
    command.args(["attach", "--agent"]).arg(&decode).arg(running.program.id().to_string());
    command.uid(OTHER).gid(OTHER);
    match command.output() {
        Ok(output) => {
            let (status, line) = said(&output);
            assert_eq!((status, line.lines().count()), (2, 1), "{line}");
            assert!(line.contains("the JVM obeys only these and root"), "{line}");
        }
        Err(why) => println!("skipped: no other user can be had here ({why})"),
    }
    let (_, complaints, _) = running.end();
    assert!(!complaints.contains("Full thread dump"), "{complaints}");
}

/// May another user run the JVM, and read the agent and the program?
fn obstacle(jvm: &Jvm) -> Option<String> {
    let mut tried = Command::new("sh");
    tried.args(["-c", "test -x \"$0\" && test -r \"$1\" && test -r \"$2\""]).arg(&jvm.java).arg(&place().agent);
    match tried.arg(place().set("main")).uid(OTHER).gid(OTHER).status() {
        Ok(status) if status.success() => None,
        Ok(_) => Some("another user may not read this folder".into()),
        Err(error) => Some(format!("this is not root: {error}")),
    }
}

#[test]
fn root_attaches_to_another_user_s_jvm() {
    for jvm in [11, 25].into_iter().filter_map(Jvm::of) {
        if let Some(why) = obstacle(&jvm) {
            println!("skipped: {why}");
            return;
        }
        let scratch = Scratch::new("root", jvm.feature);
        let owned = |path: &Path| chown(path, Some(OTHER), Some(OTHER)).expect("root may");
        owned(scratch.path());
        let mut command = running::attached(&jvm, &scratch, &[]);
        command.uid(OTHER).gid(OTHER);
        let running = Running::start(&mut command, scratch);
        let log = running.attached("events.log", "alloc=64k,locks,verify=1,quiet");
        running.waits_for(&["alloc.events", "locks.events"], 100);
        assert_eq!(fs::metadata(&log).expect("it is there").uid(), OTHER);
        running.leaves(&log);
        let (seen, complaints, _scratch) = running.end();
        assert!(!complaints.contains("internal error"), "{complaints}");
        whole(&log);
        agree(&stacks(&log), &seen, jvm.feature);
    }
}
