//! The native half of the harness (`dacapo-harness/native`): a crate of its own beside the workspace, as only measurements need it.

use std::path::PathBuf;

use crate::{Result, process, tree};

/// Builds it.
///
/// # Errors
/// One line when cargo fails.
pub fn build() -> Result<()> {
    process::run(
        process::cargo()
            .args([
                "build",
                "--release",
                "--quiet",
                "--manifest-path",
                "dacapo-harness/native/Cargo.toml",
                "--target-dir",
            ])
            .arg(folder()),
    )
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
    tree::release("").join("../harness")
}
