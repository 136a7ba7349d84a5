//! Programs that tests run to their end, and commands that they type in as people do.
//!
//! Invariant: options that this machine gives every JVM or Maven do not reach them. A shell ends
//! with its first command that fails, and after [`LIMIT`] seconds with all that it has started: who
//! waits for a JVM would wait for one that has died.
//! Source: the POSIX shell, `set -e`; timeout(1).

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::spent;

/// Seconds after which a shell is ended.
const LIMIT: &str = "300";

/// What gives every JVM, or Maven, options of this machine's.
const OPTIONS: [&str; 4] = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_ARGS"];

/// Leaves this machine's own options out.
pub fn without_options(command: &mut Command) -> &mut Command {
    OPTIONS.iter().fold(command, |command, name| command.env_remove(name))
}

/// The path of programs, with these folders before the usual ones.
///
/// # Panics
/// When one has a colon.
pub fn path_with(first: &[PathBuf]) -> OsString {
    let usual = env::var_os("PATH").unwrap_or_default();
    let folders = first.iter().cloned().chain(env::split_paths(&usual));
    env::join_paths(folders).expect("no folder has a colon")
}

/// Commands to type in, in that folder, with the programs of these folders before others.
///
/// # Panics
/// As [`path_with`].
pub fn shell(commands: &str, folder: &Path, first: &[PathBuf]) -> Command {
    let mut shell = Command::new("timeout");
    shell.args([LIMIT, "sh", "-ec", commands]).current_dir(folder).env("PATH", path_with(first));
    without_options(&mut shell);
    shell
}

/// The status of a program that has ended by itself, its output, and its complaints.
///
/// # Panics
/// When it cannot be run, or was killed.
pub fn said(command: &mut Command) -> (i32, String, String) {
    let output = spent::output(command).unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"));
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    let status = output.status.code().unwrap_or_else(|| panic!("{command:?}: {}\n{out}\n{err}", output.status));
    (status, out, err)
}
