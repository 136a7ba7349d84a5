//! `cargo xtask check`: what a compiler does not see (tidiness, documents, names of types,
//! dependency directions between crates and between the agent's rooms, circles of files, unused
//! dependencies, spelling), then rustfmt, clippy and rustdoc.

mod circles;
mod citations;
mod columns;
mod dependencies;
mod directions;
pub mod documents;
mod findings;
mod hashes;
mod imports;
mod rooms;
mod rustdoc;
mod spelling;
mod tidy;
mod type_names;

use std::path::Path;

use crate::bench::native;
use crate::{Result, build, process, tree};
use findings::report;

/// Runs all checks, cheapest first.
///
/// # Errors
/// One line for the first that fails; findings are printed above it.
pub fn run() -> Result<()> {
    without_compiler()?;
    hooks()?;
    lints()?;
    rustdoc::examples()
}

/// What takes seconds: tidiness, citations, documents, hashes in them, directions, dependencies,
/// spelling, rustfmt.
///
/// # Errors
/// As [`run`].
pub fn without_compiler() -> Result<()> {
    tidy::run()?;
    columns::run()?;
    citations::run()?;
    documents::run()?;
    hashes::run()?;
    directions::run()?;
    rooms::run()?;
    circles::run()?;
    dependencies::run()?;
    type_names::run()?;
    spelling::run()?;
    process::run(process::cargo().args(["fmt", "--all", "--check"]))
}

/// Compiles the hooks, unless they are.
///
/// # Errors
/// As [`build::java`].
pub fn hooks() -> Result<()> {
    if are_compiled() { Ok(()) } else { build::java(&[]) }
}

/// Clippy and the links of comments, which need the hooks.
///
/// # Errors
/// As [`run`].
pub fn lints() -> Result<()> {
    // With the profile of the tests, which are built next: what they depend on by macros and C is
    // then built once.
    let clippy = ["clippy", "--quiet", "--profile", build::TESTS, "--workspace", "--all-targets"];
    process::run(process::cargo().args(clippy).args(["--", "-D", "warnings"]))?;
    // The benchmark's own crate stands beside the workspace, but must build with what it measures.
    process::run(native::cargo("clippy").args(["--", "-D", "warnings"]))?;
    rustdoc::links()
}

/// Is there a class for each source of the hooks? The agent's build asks for them.
fn are_compiled() -> bool {
    let hooks = tree::root().join("java-shim/hooks");
    let [sources, classes] = ["src/main/java", "build/classes/java/main"].map(|folder| hooks.join(folder));
    ["java/lang", "org/lucce/walks"].into_iter().all(|package| {
        let sources = std::fs::read_dir(sources.join(package)).into_iter().flatten().flatten();
        sources.map(|source| source.path()).all(|source| {
            let class = source.file_stem().map(|name| Path::new(name).with_extension("class"));
            class.is_some_and(|class| classes.join(package).join(class).is_file())
        })
    })
}
