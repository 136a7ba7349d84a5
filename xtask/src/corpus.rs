//! `cargo xtask corpus`: the class-file rewriter over every class of the JDKs at hand and of well-known jars.

use std::fs;
use std::path::PathBuf;

use crate::{Result, jars, jdk, process, tree};

const TABLE: &str = "xtask/corpus.txt";

/// Fetches the jars of the table, extracts the modules of each JDK, and runs the rewriter's corpus runner over all of it.
///
/// # Errors
/// One line for the first step that failed; the runner's own findings are above it.
pub fn run(args: &[&str]) -> Result<()> {
    let mut inputs = jdk::all().iter().map(modules).collect::<Result<Vec<_>>>()?;
    for jar in jars::tables(&[TABLE])?.values() {
        inputs.push(jar.fetch()?);
    }
    let java = jdk::default()?.java();
    process::run(
        process::cargo()
            .args(["run", "--release", "-p", "lucce-classfile", "--example", "corpus", "--"])
            .args(args)
            .args(&inputs)
            .env("LUCCE_JAVA", java),
    )
}

/// The classes of a JDK's modules, extracted once: `<folder>/<module>/<package>/<Class>.class`.
fn modules(jdk: &jdk::Jdk) -> Result<PathBuf> {
    let folder = tree::cache().join("corpus").join(format!("jdk-{}", jdk.feature));
    if folder.is_dir() {
        return Ok(folder);
    }
    let part = folder.with_extension(format!("part-{}", std::process::id()));
    let shown = |e: std::io::Error| format!("cannot write {}: {e}", part.display());
    fs::create_dir_all(&part).map_err(shown)?;
    println!("extracting the modules of {}", jdk.home.display());
    let (dir, image) = (format!("--dir={}", part.display()), jdk.home.join("lib/modules"));
    process::run(process::command(jdk.home.join("bin/jimage")).arg("extract").arg(dir).arg(image))?;
    fs::rename(&part, &folder).map_err(shown)?;
    Ok(folder)
}
