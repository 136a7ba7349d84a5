//! `cargo xtask check`: what a compiler does not see (tidiness, dependency directions), then rustfmt and clippy.

mod directions;
mod tidy;

use crate::bench::native;
use crate::{Result, build, process, tree};

/// Runs all checks, cheapest first.
///
/// # Errors
/// One line for the first that fails; findings are printed above it.
pub fn run() -> Result<()> {
    tidy::run()?;
    directions::run()?;
    process::run(process::cargo().args(["fmt", "--all", "--check"]))?;
    if !tree::root().join("java-shim/hooks/build/classes/java/main/java/lang/LucceHooks.class").is_file() {
        build::java(&[])?;
    }
    process::run(process::cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // The benchmark's own crate stands beside the workspace, but must build with what it measures.
    process::run(native::cargo("clippy").args(["--", "-D", "warnings"]))
}

/// Prints findings; an error if there are any.
fn report(check: &str, findings: Vec<String>) -> Result<()> {
    findings.iter().for_each(|finding| println!("{finding}"));
    if findings.is_empty() { Ok(()) } else { Err(format!("{check}: {} findings", findings.len())) }
}
