//! The command line `lucce-decode` on a log of a test.
//!
//! Invariant: each test has a folder of its own, with the log `events.log` in it.
//! Source: cargo, "Environment variables" (`CARGO_BIN_EXE_<name>`, `CARGO_TARGET_TMPDIR`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const BIN: &str = env!("CARGO_BIN_EXE_lucce-decode");

/// A folder of this test with the log in it.
pub fn folder(test: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("events.log"), bytes).expect("a log");
    folder
}

/// `lucce-decode events.log ARGS` in that folder.
pub fn run(test: &str, bytes: &[u8], args: &[&str]) -> Output {
    run_in(&folder(test, bytes), &[&["events.log"], args].concat())
}

/// `lucce-decode ARGS` in a folder.
pub fn run_in(folder: &Path, args: &[&str]) -> Output {
    Command::new(BIN).args(args).current_dir(folder).output().expect("it runs")
}

/// Likewise without a log.
pub fn run_alone(args: &[&str]) -> Output {
    Command::new(BIN).args(args).output().expect("it runs")
}

/// What it printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}
