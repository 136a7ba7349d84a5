//! The native half of the harness (`dacapo-harness/native`): a crate of its own beside the
//! workspace, as only measurements need it.

use std::path::PathBuf;

use crate::{Result, process, tree};

/// Builds it.
///
/// # Errors
/// One line when cargo fails.
pub fn build() -> Result<()> {
    process::run(cargo("build").arg("--release"))
}

/// Cargo's `command` on that crate.
pub fn cargo(command: &str) -> std::process::Command {
    let mut cargo = process::cargo();
    let manifest = tree::root().join("dacapo-harness/native/Cargo.toml");
    cargo.args([command, "--quiet", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(folder());
    cargo
}

/// The program that rewrites classes by Lucce's own crate.
pub fn rewriting() -> PathBuf {
    folder().join("release/rewriting")
}

/// The library behind `bench.events.Native`.
pub fn library() -> PathBuf {
    folder().join("release/libharness.so")
}

fn folder() -> PathBuf {
    tree::target("harness")
}
